"""`ptoscope precision FILE::KERNEL`: are the results right, and if not, which line makes them wrong?"""

from __future__ import annotations

import importlib.util
import pickle
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from ptoscope_compiler import targets
from ptoscope_compiler.analysis.compilation import Compiled
from ptoscope_compiler.scalar import Scalar
from ptoscope_simulator.machine.errors import MachineError
from ptoscope_simulator.machine.machine import DEFAULT_STEP_BUDGET, Machine
from ptoscope_simulator.precision.golden_source import load_golden
from ptoscope_simulator.precision.inputs import BadInput, fit_inputs, generate, load
from ptoscope_simulator.precision.judge import Request, judge, written_parameters
from ptoscope_simulator.precision.judgement import Judgement
from ptoscope_simulator.precision.report_html import report_html
from ptoscope_simulator.precision.report_json import report_json
from ptoscope_simulator.precision.report_junit import report_junit
from ptoscope_simulator.standins.boot import Settings
from ptoscope_simulator.standins.judge import JudgeSettings

from .errors import CANNOT_RUN, cannot_run
from .files import write_atomically
from .kernels import compiled, parse_shapes, split
from .options import Language, Shapes, StepBudget, Target
from .precision_text import judgement_to_text
from .process import check_target, need_python_file, start


class Format(str, Enum):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def precision(
    kernel: Annotated[
        str, typer.Argument(metavar="FILE::KERNEL", help="The kernel may be left out if it is the only one.")
    ],
    target: Target = "a2a3",
    inputs: Annotated[Path | None, typer.Option(help="Input tensors by name, in .npz (also .npy, .pt).")] = None,
    seed: Annotated[int | None, typer.Option(help="Generate the inputs from the signature.")] = None,
    scale: Annotated[float, typer.Option(help="Factor for generated floats.")] = 1.0,
    shape: Shapes = [],  # noqa: B006 (typer copies it)
    golden: Annotated[
        str | None, typer.Option(metavar="FILE|MODULE:FUNCTION", help="Golden values; default: float64.")
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance instead of the derived one.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance instead of the derived one.")] = None,
    blocks: Annotated[int, typer.Option(help="Blocks of a Pro-mode launch.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.TEXT,
    report: Annotated[Path | None, typer.Option(help="Also write a self-contained HTML page.")] = None,
    language: Annotated[Language, typer.Option()] = Language.ENGLISH,
    step_budget: StepBudget = None,
) -> None:
    """Judge one kernel.

    Inputs come from --inputs, from --seed, or else from the script's own call. Exit code 0: within tolerance,
    1: not, 2: cannot tell.
    """
    check_target(target)
    limits = Limits(golden, rtol, atol, report is not None)
    if inputs is None and seed is None and not shape and _can_run():
        judgement = _judge_own_call(kernel, Settings(target, step_budget), limits)
    else:
        given = Given(inputs, seed or 0, scale, parse_shapes(shape), blocks, step_budget or DEFAULT_STEP_BUDGET)
        judgement = _judge_alone(kernel, target, given, limits)
    if report is not None:
        write_atomically(report, report_html([judgement], language.value))
    typer.echo(_printed(judgement, format, language.value).rstrip())
    raise typer.Exit(judgement.exit_code)


def _printed(judgement: Judgement, format: Format, language: str) -> str:
    if format is Format.JSON:
        return report_json([judgement])
    if format is Format.JUNIT:
        return report_junit([judgement])
    return judgement_to_text(judgement, language)


@dataclass(frozen=True)
class Limits:
    """What the results are held against."""

    golden: str | None
    relative: float | None
    absolute: float | None
    explain: bool


@dataclass(frozen=True)
class Given:
    """Where the inputs come from when the script is not run."""

    inputs: Path | None
    seed: int
    scale: float
    shapes: Mapping[str, tuple[int, ...]]
    blocks: int
    step_budget: int


def _can_run() -> bool:
    return importlib.util.find_spec("torch") is not None


def _judge_own_call(kernel: str, settings: Settings, limits: Limits) -> Judgement:
    path, name = split(kernel)
    need_python_file(path)
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "judgement")
        wanted = JudgeSettings(str(result), name, limits.golden, limits.relative, limits.absolute, limits.explain)
        code = start(Settings(settings.target, settings.step_budget, judge=wanted.as_dict()), str(path), silent=True)
        if not result.exists():
            if code == CANNOT_RUN:
                raise typer.Exit(CANNOT_RUN)
            which = f"kernel '{name}'" if name else "a kernel"
            cannot_run(
                f"{path} ended without a call of {which}; give --seed or --inputs to judge it without the script"
            )
        judgement = pickle.loads(result.read_bytes())
    if isinstance(judgement, str):
        cannot_run(judgement)
    assert isinstance(judgement, Judgement)
    return judgement


def _judge_alone(kernel: str, target: str, given: Given, limits: Limits) -> Judgement:
    files = {} if given.inputs is None else _loaded(given.inputs)
    shapes = {**{name: array.shape for name, array in files.items()}, **given.shapes}
    found = compiled(kernel, target, shapes)
    try:
        arrays = _arrays(found, files, given)
        names = written_parameters(found.program)
        golden = load_golden(limits.golden, arrays, names) if limits.golden is not None else None
        machine = Machine(targets.load(target), given.step_budget, output=lambda line: typer.echo(line, err=True))
        return judge(
            Request(
                machine,
                found.program,
                arrays,
                found.kernel,
                None,
                given.blocks,
                golden,
                limits.golden or "",
                limits.relative,
                limits.absolute,
                limits.explain,
            )
        )
    except (BadInput, MachineError) as error:
        cannot_run(str(error))


def _loaded(path: Path) -> dict[str, Any]:
    try:
        return load(path, ())
    except BadInput as error:
        cannot_run(str(error))


def _arrays(found: Compiled, files: Mapping[str, Any], given: Given) -> dict[str, Any]:
    """One array per tensor parameter: from the file, else generated in the shape that is known."""
    signature = []
    for parameter in found.program.parameters:
        known = given.shapes.get(parameter.name) or found.shapes.get(parameter.name)
        extents = tuple(extent for extent in (known or parameter.shape) if not isinstance(extent, Scalar))
        if len(extents) < len(parameter.shape):
            raise BadInput(f"the shape of '{parameter.name}' is not known: give it with --shape {parameter.name}=...")
        signature.append((parameter.name, parameter.dtype, tuple(map(int, extents))))
    missing = [entry for entry in signature if entry[0] not in files]
    return {**generate(missing, given.seed, given.scale), **fit_inputs(str(given.inputs), files, signature)}
