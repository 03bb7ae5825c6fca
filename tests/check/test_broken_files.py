"""Files that are being typed: what stands before and beside an error is still judged, nothing behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked_folder import Folder, kernel
from ptoscope_compiler.analysis import check, modes
from ptoscope_compiler.query import Database

TILES = "pypto.set_vec_tile_shapes(32, 32)"


def test_findings_before_a_syntax_error_and_in_other_kernels_stay(tmp_path: Path) -> None:
    broken = kernel(TILES, "x = a + b", "y = pypto.exp(x", "out[:] = y + undefined")
    other = kernel(TILES, "out[:] = a + b").replace("import pypto\n", "").replace("def kernel", "def other")
    found = Folder(tmp_path, k=broken + other).found()
    assert found == [("PT301", "error", 10), ("PT600", "error", 11), ("PT301", "error", 21)]


def test_a_broken_tile_shape_blames_nothing_behind_it(tmp_path: Path) -> None:
    found = Folder(tmp_path, k=kernel("pypto.set_vec_tile_shapes(32,", "out[:] = pypto.exp(a)")).found()
    assert found == [("PT600", "error", 9)]


def test_the_range_of_a_syntax_error_is_exact(tmp_path: Path) -> None:
    span = Folder(tmp_path, k="def f():\n    '瓦'; x = (1, \n").findings()[0].span
    assert (span.line, span.column, span.end_column) == (2, 15, 16)


def test_a_finding_is_silenced_by_its_line(tmp_path: Path) -> None:
    folder = Folder(tmp_path, k=kernel(TILES, "out[:] = a + b  # ptoscope: ignore[PT301]"))
    assert folder.found() == []


def test_a_failure_of_ours_is_a_hint_at_the_name_of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("wires crossed")

    monkeypatch.setitem(modes.CHECKS, "tensor", fail)  # type: ignore[arg-type]
    finding = Folder(tmp_path, k=kernel(TILES, "out[:] = a")).findings()[0]
    assert (finding.code, finding.severity.value, finding.span.line) == ("PT910", "hint", 4)
    assert (finding.span.column, finding.span.end_column) == (4, 10)
    assert "RuntimeError: wires crossed" in finding.message()


def test_a_kernel_without_end_is_stopped(tmp_path: Path) -> None:
    found = Folder(tmp_path, k=kernel(TILES, "n = 0", "while n >= 0:", "    n += 1", "out[:] = a")).found()
    assert ("PT901", "error", 11) in found


def test_a_file_that_is_not_there_has_no_findings(tmp_path: Path) -> None:
    assert check.diagnostics(Database(), str(tmp_path / "absent.py")) == ()


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "\0", "(" * 300, "class", "@", "def f(:\n\tx\n  y"])
def test_any_text_is_survived(tmp_path: Path, text: str) -> None:
    folder = Folder(tmp_path)
    folder.type("k.py", text)
    assert all(code == "PT600" for code, _, _ in folder.found())
