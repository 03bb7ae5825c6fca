"""Recompiling a kernel after an edit of one line, in a database that is kept, against compiling it cold."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from ptoscope_compiler import targets
from ptoscope_compiler.analysis.compilation import CannotCompile, compile_kernel, kernel_names
from ptoscope_compiler.analysis.files import OPENED
from ptoscope_compiler.query import Database
from ptoscope_compiler.source.file import SourceFile
from rich.console import Console
from rich.table import Table

from .kernels import official_times


def report(scripts: Sequence[Path], official: Path | None, console: Console) -> None:
    """Print cold and warm times of each kernel that compiles from its text alone."""
    reference = official_times(official)
    table = Table("script", "kernel", "cold ms", "after an edit ms", "cold ÷ edit", "official ÷ edit")
    gains: list[float] = []
    for script in scripts:
        path = str(script.resolve())
        text = script.read_text(encoding="utf-8")
        for name in kernel_names(_opened(path, text), path):
            times = _times(path, text, name)
            if times is None:
                continue
            cold, warm = times
            theirs = reference.get((script.name, name))
            gains += [theirs / warm] if theirs else []
            shown = f"{theirs / warm:.1f}" if theirs else "-"
            table.add_row(script.name, name, f"{cold * 1e3:.1f}", f"{warm * 1e3:.1f}", f"{cold / warm:.1f}", shown)
    console.print(table)
    if gains:
        console.print(f"official ÷ ours, after an edit: median {median(gains):.1f}, least {min(gains):.1f}")


def _opened(path: str, text: str) -> Database:
    database = Database()
    database.set(OPENED, path, SourceFile(path, text))
    return database


def _times(path: str, text: str, name: str) -> tuple[float, float] | None:
    """Seconds cold, and after a line has been put into the kernel's body."""
    database = _opened(path, text)
    target = targets.load("a2a3")
    try:
        started = time.perf_counter()
        compile_kernel(database, path, name, target)
        cold = time.perf_counter() - started
        warm = []
        for attempt in range(3):
            database.set(OPENED, path, SourceFile(path, _edited(text, name, attempt)))
            started = time.perf_counter()
            compile_kernel(database, path, name, target)
            warm.append(time.perf_counter() - started)
    except CannotCompile:
        return None
    return cold, min(warm)


def _edited(text: str, name: str, attempt: int) -> str:
    """The text with one more statement at the start of the kernel's body."""
    lines = text.splitlines(keepends=True)
    start = next(index for index, line in enumerate(lines) if line.lstrip().startswith(f"def {name}("))
    depth = 0
    for index in range(start, len(lines)):
        depth += sum(lines[index].count(sign) for sign in "([") - sum(lines[index].count(sign) for sign in ")]")
        if depth == 0 and lines[index].rstrip().endswith(":"):
            indent = len(lines[start]) - len(lines[start].lstrip()) + 4
            return "".join([*lines[: index + 1], f"{' ' * indent}edited = {attempt}\n", *lines[index + 1 :]])
    return text
