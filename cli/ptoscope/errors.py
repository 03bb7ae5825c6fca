"""Why a command cannot run: one clear message, exit code 2."""

from __future__ import annotations

from typing import NoReturn

import typer

CANNOT_RUN = 2
FINDINGS = 1


def cannot_run(message: str) -> NoReturn:
    """Print `message` to standard error and leave with exit code 2."""
    typer.echo(f"ptoscope: {message}", err=True)
    raise typer.Exit(CANNOT_RUN)
