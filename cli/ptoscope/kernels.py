"""`FILE::KERNEL` on the command line: compiled from its text, never run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from ptoscope_compiler import targets
from ptoscope_compiler.analysis.compilation import CannotCompile, Compiled, NoSuchKernel, Observe, compile_kernel
from ptoscope_compiler.analysis.files import source
from ptoscope_compiler.diagnostics.formats import text
from ptoscope_compiler.diagnostics.formats.sources import Sources
from ptoscope_compiler.query import Database
from ptoscope_compiler.source.text import Text

from .errors import CANNOT_RUN, cannot_run
from .process import need_python_file

_SHAPE = re.compile(r"(?P<name>\w+)=(?P<extents>\d+(,\d+)*)")


def split(place: str) -> tuple[Path, str | None]:
    """`FILE::KERNEL` as the file and the kernel's name, None where only the file is given."""
    file, _, kernel = place.partition("::")
    return Path(file), kernel or None


def parse_shapes(given: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """`--shape x=128,256` as {"x": (128, 256)}."""
    shapes = {}
    for item in given:
        match = _SHAPE.fullmatch(item)
        if match is None:
            cannot_run(f"--shape {item}: expected NAME=EXTENT,EXTENT,...")
        shapes[match["name"]] = tuple(map(int, match["extents"].split(",")))
    return shapes


def compiled(
    place: str, target: str, shapes: Mapping[str, tuple[int, ...]], observe: Observe | None = None
) -> Compiled:
    """The kernel's program; leaves with exit code 2 and the findings where there is none."""
    path, name = split(place)
    need_python_file(path)
    database = Database()
    absolute = str(path.resolve())
    try:
        return compile_kernel(database, absolute, name, targets.load(target), shapes, observe)
    except NoSuchKernel as error:
        cannot_run(str(error).replace(absolute, str(path)))
    except CannotCompile as error:
        sources = Sources(lambda file: _text_of(database, file))
        for finding in error.diagnostics:
            typer.echo(text.render(finding, sources), err=True)
        typer.echo(f"ptoscope: {error}", err=True)
        raise typer.Exit(CANNOT_RUN) from None


def _text_of(database: Database, path: str) -> Text | None:
    file = source(database, path)
    return None if file is None else file.text
