"""A kernel compiled from the text of its file: in the state of the host at its call, and the same after any edit."""

from __future__ import annotations

import textwrap

from ptoscope_compiler import targets
from ptoscope_compiler.analysis.compilation import Compiled, compile_kernel
from ptoscope_compiler.analysis.files import OPENED
from ptoscope_compiler.query import Database
from ptoscope_compiler.source.file import SourceFile

PATH = "/nowhere/kernels.py"
TEXT = textwrap.dedent('''\
    """Two kernels.

    Run as a script.
    """
    import pypto
    import torch

    FACTOR = 1.0


    def scaled(x):
        return x * FACTOR


    @pypto.frontend.jit
    def first(a: pypto.Tensor([...], pypto.DT_FP32), out: pypto.Tensor([...], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(16, 32)
        out[:] = scaled(a)


    @pypto.frontend.jit
    def second(a: pypto.Tensor([...], pypto.DT_FP32), out: pypto.Tensor([...], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(16, 32)
        out[:] = halved(a)


    def halved(x):
        return x * 0.5


    def main():
        global FACTOR
        for factor in (2.0, 3.0):
            FACTOR = factor
            x = torch.rand(32, 64)
            first(x, torch.empty_like(x))
        second(x, torch.empty_like(x))


    if __name__ == "__main__":
        main()
    ''')


def _compiled(database: Database, text: str, name: str) -> Compiled:
    database.set(OPENED, PATH, SourceFile(PATH, text))
    return compile_kernel(database, PATH, name, targets.load("a2a3"))


def test_globals_have_their_values_at_the_first_call() -> None:
    program = repr(_compiled(Database(), TEXT, "first").program)
    assert "2.0" in program
    assert "3.0" not in program


def test_a_kernel_that_is_called_later_is_found() -> None:
    assert _compiled(Database(), TEXT, "second").shapes == {"a": (32, 64), "out": (32, 64)}


def test_places_follow_the_text_after_an_edit() -> None:
    database = Database()
    _compiled(database, TEXT, "second")
    for old, new in (
        ("    pypto.set_vec_tile_shapes(16, 32)\n    out[:] = scaled", "    out[:] = scaled"),
        ("\n    out[:] = halved(a)", "\n\n    b = a\n    out[:] = halved(b)"),
        ('"""Two kernels.', '"""\n\nTwo kernels.'),
        ("FACTOR = 1.0\n", ""),
    ):
        text = TEXT.replace(old, new)
        edited, fresh = _compiled(database, text, "second"), _compiled(Database(), text, "second")
        assert repr(edited.program) == repr(fresh.program)
        line = text[: text.index("return x * 0.5")].count("\n") + 1
        assert f"line={line}," in repr(edited.program)
