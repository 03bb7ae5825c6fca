"""Kernels are found under any spelling, with the shapes that their calls give them, and nothing is executed."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked_folder import Folder, kernel

MISMATCH = "out[:] = a + b"
TILES = "pypto.set_vec_tile_shapes(32, 32)"

DECORATORS = [
    ("import pypto", "@pypto.frontend.jit"),
    ("import pypto", "@pypto.jit"),
    ("import pypto", "@pypto.frontend.jit()"),
    ("import pypto\nfrom pypto.frontend import jit", "@jit"),
    ("import pypto\nfrom pypto import frontend as f", "@f.jit(debug_options={'x': 1})"),
    ("import pypto\nimport pypto as p", "@p.jit"),
]


@pytest.mark.parametrize(("imports", "decorator"), DECORATORS)
def test_any_spelling_of_the_decorator(tmp_path: Path, imports: str, decorator: str) -> None:
    text = kernel(TILES, MISMATCH).replace("import pypto", imports).replace("@pypto.frontend.jit", decorator)
    found = Folder(tmp_path, k=text).found()
    assert [code for code, _, _ in found] == ["PT301"]


def test_a_kernel_made_by_a_function_that_nobody_calls(tmp_path: Path) -> None:
    text = """
    import pypto

    def make(rows, columns=32):
        @pypto.frontend.jit
        def inner(
            a: pypto.Tensor((64, 64), pypto.DT_FP32),
            b: pypto.Tensor((64, columns), pypto.DT_FP32),
            out: pypto.Tensor((64, 64), pypto.DT_FP32),
        ):
            pypto.set_vec_tile_shapes(32, 32)
            out[:] = a + b
        return inner
    """
    assert Folder(tmp_path, k=text).found() == [("PT301", "error", 12)]


OPEN_KERNEL = """
import pypto

@pypto.frontend.jit
def kernel(a: pypto.Tensor(), b: pypto.Tensor(), out: pypto.Tensor()):
    pypto.set_vec_tile_shapes(32, 32)
    out[:] = a + b
"""


def test_without_a_call_nothing_is_said_of_open_shapes(tmp_path: Path) -> None:
    assert Folder(tmp_path, k=OPEN_KERNEL).found() == []


@pytest.mark.parametrize(
    "call",
    [
        "if __name__ == '__main__':\n    kernel(torch.zeros(64, 64), torch.zeros((64, 32)), torch.zeros(64, 64))\n",
        "def test():\n    kernel(torch.zeros(64, 64), b=torch.rand(64, 32), out=torch.zeros(64, 64))\n",
        "def main(device):\n    x = torch.ones(64, 64).to(device)\n    kernel(x, x[:, :32], torch.empty_like(x))\n",
    ],
    ids=["main", "test", "function"],
)
def test_calls_give_the_shapes(tmp_path: Path, call: str) -> None:
    folder = Folder(tmp_path, k="import torch\n" + OPEN_KERNEL + call)
    assert folder.found() == [("PT301", "error", 8)]


def test_calls_from_other_files_reach_the_kernel(tmp_path: Path) -> None:
    call = "import torch\nfrom impl.k import kernel\n\ndef test():\n    kernel({0}, torch.zeros(64, 32), {0})\n"
    folder = Folder(tmp_path, impl__k=OPEN_KERNEL, test_k=call.format("torch.zeros(64, 64)"))
    finding = folder.findings("test_k.py")[0]
    assert (finding.code, finding.span.file, finding.span.line) == ("PT301", folder.path("impl/k.py"), 7)


def test_several_calls_report_a_fault_once(tmp_path: Path) -> None:
    call = "    kernel(torch.zeros({0}, 64), torch.zeros({0}, 32), torch.zeros({0}, 64))\n"
    text = "import torch\n" + OPEN_KERNEL + "def test():\n" + "".join(call.format(n) for n in (32, 64, 96))
    assert Folder(tmp_path, k=text).found() == [("PT301", "error", 8)]


@pytest.mark.parametrize(
    ("helper", "statement"),
    [
        ("helpers", "from helpers import double"),
        ("package__helpers", "from package.helpers import double"),
        ("package__helpers", "from package import helpers\ndouble = helpers.double"),
        ("helpers", "from .helpers import double"),
    ],
)
def test_helpers_are_found_across_files_and_named_with_the_call(tmp_path: Path, helper: str, statement: str) -> None:
    text = kernel(TILES, "out[:] = double(a)").replace("import pypto", f"import pypto\n{statement}", 1)
    folder = Folder(tmp_path, k=text, **{helper: "import pypto\n\ndef double(x):\n    return pypto.expp(x)\n"})
    finding = folder.findings()[0]
    assert (finding.code, finding.span.line) == ("PT601", 4)
    assert finding.origin.caller is not None
    assert finding.origin.caller.span.file == folder.path("k.py")


def test_nothing_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    text = f"import pypto\nopen({str(mark)!r}, 'w').write('x')\n" + kernel(TILES, "out[:] = a")
    Folder(tmp_path, k=text).findings()
    assert not mark.exists()


def test_a_script_that_imports_itself_in_a_circle(tmp_path: Path) -> None:
    folder = Folder(tmp_path, k="import other\n" + kernel(TILES, MISMATCH), other="import k\n")
    assert folder.found() == [("PT301", "error", 11)]
