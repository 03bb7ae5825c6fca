"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

Target = Annotated[str, typer.Option(help="The chip: a2a3, 950, ...; `ptoscope doctor` lists them.")]
StepBudget = Annotated[
    Optional[int], typer.Option(help="Steps after which an endless kernel is stopped.", min=1)
]
