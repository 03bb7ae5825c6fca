"""`ptoscope run SCRIPT [ARGUMENTS]` and `ptoscope pytest [ARGUMENTS]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from ptoscope_simulator.standins.boot import Settings

from .options import StepBudget, Target
from .process import check_target, need_python_file, need_torch, start

DumpStages = Annotated[
    Path | None, typer.Option(help="Write the graphs of every compiled kernel, stage by stage, to this folder.")
]


def run(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="The user's script, as it would run on a board.")],
    target: Target = "a2a3",
    step_budget: StepBudget = None,
    dump_stages: DumpStages = None,
) -> None:
    """Run a script unmodified; its kernels land on the simulated NPU.

    Everything after SCRIPT is given to the script. Exit code: the script's own; 2 if it raised.
    """
    check_target(target)
    need_python_file(script)
    need_torch("run")
    settings = Settings(target, step_budget, str(dump_stages) if dump_stages else None)
    raise typer.Exit(start(settings, str(script), *context.args))


def pytest(context: typer.Context, target: Target = "a2a3", step_budget: StepBudget = None) -> None:
    """Run a test suite unmodified; its kernels land on the simulated NPU.

    Everything else is given to pytest, and the exit code is pytest's.
    """
    check_target(target)
    need_torch("pytest")
    raise typer.Exit(start(Settings(target, step_budget), "pytest", *context.args))
