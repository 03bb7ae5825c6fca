"""An edit computes again what it reaches, and nothing else; the result is that of a fresh start."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from checked_folder import Folder
from hypothesis import given, settings
from hypothesis import strategies as st
from ptoscope_compiler.analysis.check import diagnostics
from ptoscope_compiler.analysis.files import OPENED
from ptoscope_compiler.query import Database
from ptoscope_compiler.source.file import SourceFile

TEXT = textwrap.dedent('''\
    """Three kernels and what they share."""
    import pypto
    from shared import double

    N = 64
    TILE = 32


    def shift(x):
        return x + 1.0  # helper


    @pypto.frontend.jit
    def first(a: pypto.Tensor((N, N), pypto.DT_FP32), out: pypto.Tensor((N, N), pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(TILE, TILE)
        out[:] = shift(a)


    @pypto.frontend.jit
    def second(a: pypto.Tensor((N, N), pypto.DT_FP32), out: pypto.Tensor((N, 32), pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 32)
        out[:] = pypto.exp(a)


    @pypto.frontend.jit
    def third(a: pypto.Tensor((N, N), pypto.DT_FP32), out: pypto.Tensor((N, N), pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 32)
        out[:] = double(a)
    ''')
SHARED = "import pypto\n\nSCALE = 2.0\n\ndef double(x):\n    return x * SCALE\n\ndef unused(x):\n    return x\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path, k=TEXT, shared=SHARED)
    assert folder.found() == [("PT306", "error", 22)]
    return folder


def _checked_again(folder: Folder, name: str, text: str) -> int:
    before = folder.database.executions["kernel_findings"]
    folder.type(name, text)
    folder.findings()
    return folder.database.executions["kernel_findings"] - before


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("pypto.exp(a)", "pypto.log(a)", 1),
        ("x + 1.0", "x + 2.0", 1),
        ("TILE = 32", "TILE = 16", 1),
        ("N = 64\n", "N = 32\n", 3),
        ("# helper", "# something else", 0),
        ('"""Three', '\n\n"""Three', 0),
        ("TILE = 32\n", "TILE = 32\nUNUSED = 1\n", 0),
    ],
    ids=["kernel", "helper", "constant", "all", "comment", "lines above", "unused"],
)
def test_an_edit_checks_again_only_the_kernels_that_it_reaches(folder: Folder, old: str, new: str, count: int) -> None:
    assert _checked_again(folder, "k.py", TEXT.replace(old, new)) == count


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [("SCALE = 2.0", "SCALE = 3.0", 1), ("x * SCALE", "SCALE * x", 1), ("return x\n", "return x + 1\n", 0)],
)
def test_an_edit_of_an_imported_file_reaches_those_who_use_it(folder: Folder, old: str, new: str, count: int) -> None:
    assert _checked_again(folder, "shared.py", SHARED.replace(old, new)) == count


def test_a_comment_runs_nothing_past_the_parser(folder: Folder) -> None:
    before = folder.database.executions["host"]
    folder.type("k.py", TEXT.replace("# helper", "# another word"))
    assert folder.found() == [("PT306", "error", 22)]
    assert folder.database.executions["host"] == before


def test_findings_move_with_the_text(folder: Folder) -> None:
    folder.type("k.py", TEXT.replace("N = 64", "\n\nN = 64"))
    assert folder.found() == [("PT306", "error", 24)]
    assert folder.findings()[0].related[0].span.line == 22


_PIECES = [
    ("N = 64\n", "N = 32\n"),
    ("TILE = 32", "TILE = 4"),
    ("shift(a)", "shift(a, 1)"),
    ("out[:] = pypto.exp(a)", "out = pypto.exp(a)"),
    ("double(a)", "pypto.expp(a)"),
    ("x + 1.0", "x +"),
    ("\n\n\n@pypto", "\n# comment\n\n@pypto"),
    ("import pypto\n", "import pypto\n\n\n"),
]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sets(st.sampled_from(_PIECES)), min_size=1, max_size=5))
def test_any_history_of_edits_gives_what_a_fresh_start_gives(history: list[set[tuple[str, str]]]) -> None:
    database = Database()
    for edits in history:
        text = TEXT
        for old, new in sorted(edits):
            text = text.replace(old, new)
        database.set(OPENED, "/k.py", SourceFile("/k.py", text))
        fresh = Database()
        fresh.set(OPENED, "/k.py", SourceFile("/k.py", text))
        assert diagnostics(database, "/k.py") == diagnostics(fresh, "/k.py")
