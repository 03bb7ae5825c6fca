"""Compile time of one kernel over ever more tiles."""

from __future__ import annotations

import time
from pathlib import Path

from ptoscope_compiler import targets
from ptoscope_compiler.analysis.compilation import compile_kernel
from ptoscope_compiler.query import Database
from rich.console import Console
from rich.table import Table

_KERNEL = """
import pypto

@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([{extent}, {extent}], pypto.DT_FP32),
    b: pypto.Tensor([{extent}, {extent}], pypto.DT_FP32),
    out: pypto.Tensor([{extent}, {extent}], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(32, 32)
    out[:] = pypto.exp(a) + b
"""


def report(folder: Path, console: Console) -> None:
    """Print the compile time of `exp(a) + b` for squares of 2x2 to 128x128 tiles."""
    table = Table("tiles", "compile ms")
    for side in (2, 8, 32, 128):
        path = folder / f"tiles_{side}.py"
        path.write_text(_KERNEL.format(extent=32 * side), encoding="utf-8")
        times = []
        for _ in range(3):
            started = time.perf_counter()
            compile_kernel(Database(), str(path), "kernel", targets.load("a2a3"))
            times.append(time.perf_counter() - started)
        table.add_row(f"{side * side:,}", f"{min(times) * 1e3:.1f}")
    console.print(table)
