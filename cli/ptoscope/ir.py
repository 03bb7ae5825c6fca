"""`ptoscope ir FILE::KERNEL`: what the compiler makes of a kernel, stage by stage, pass by pass."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any

import typer
from ptoscope_compiler.ir.execute import ExecuteGraph
from ptoscope_compiler.ir.execute_text import calls_to_text, leaves_to_text
from ptoscope_compiler.ir.graph import Graph
from ptoscope_compiler.ir.text import graph_to_text
from ptoscope_compiler.pto.text import program_to_text

from .errors import cannot_run
from .kernels import compiled, parse_shapes
from .options import Shapes, Target
from .process import check_target


class Stage(str, Enum):
    TENSOR = "tensor"
    TILE = "tile"
    BLOCK = "block"
    EXECUTE = "execute"
    PTO = "pto"


_PASS_BEHIND = {
    Stage.TENSOR: "RemoveUndrivenView",
    Stage.TILE: "ExpandFunction",
    Stage.BLOCK: "CodegenPreproc",
    Stage.EXECUTE: "CodegenPreproc",
}

After = Annotated[str | None, typer.Option(help="The graph after this pass, by its official name.")]
Diff = Annotated[str | None, typer.Option(help="What this pass changed, as a unified diff.")]


def ir(
    kernel: Annotated[
        str, typer.Argument(metavar="FILE::KERNEL", help="The kernel may be left out if it is the only one.")
    ],
    stage: Annotated[Stage, typer.Option(help="The stage to print.")] = Stage.TILE,
    after: After = None,
    diff: Diff = None,
    target: Target = "a2a3",
    shape: Shapes = [],  # noqa: B006 (typer copies it)
) -> None:
    """Print a kernel's graphs or its PTO program."""
    check_target(target)
    states: list[tuple[str, Any]] = []
    result = compiled(kernel, target, parse_shapes(shape), lambda name, state: states.append((name, state)))
    if result.kernel is None and (after or diff or stage is not Stage.PTO):
        cannot_run("kernels of Pro mode go straight to their PTO program: use --stage pto")
    if diff is not None:
        typer.echo(_changes(states, diff), nl=False)
    elif after is not None:
        typer.echo(_texts(states, after), nl=False)
    elif stage is Stage.PTO:
        typer.echo(program_to_text(result.program), nl=False)
    else:
        typer.echo(_texts(states, _PASS_BEHIND[stage], calls=stage is Stage.EXECUTE), nl=False)


def _names(states: Sequence[tuple[str, Any]]) -> list[str]:
    """Passes that ran, in their order."""
    return list(dict.fromkeys(name for name, _ in states if name != "Trace"))


def _known(states: Sequence[tuple[str, Any]], name: str) -> str:
    names = _names(states)
    if name not in names:
        cannot_run(f"no pass '{name}' ran; the passes are {', '.join(names)}")
    return name


def _texts(states: Sequence[tuple[str, Any]], name: str, calls: bool = False) -> str:
    _known(states, name)
    return "\n".join(_text(state, calls) for other, state in states if other == name)


def _text(state: Graph | ExecuteGraph, calls: bool) -> str:
    if isinstance(state, Graph):
        return graph_to_text(state)
    return calls_to_text(state) if calls else leaves_to_text(state)


def _changes(states: Sequence[tuple[str, Any]], name: str) -> str:
    names = ["Trace", *_names(states)]
    before = names[names.index(_known(states, name)) - 1]
    if before == "Trace":
        cannot_run(f"{name} is the first pass; print its result with --after {name}")
    old, new = _texts(states, before), _texts(states, name)
    return "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), before, name))
