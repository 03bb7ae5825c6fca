"""Options that several commands share."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

Target = Annotated[str, typer.Option(help="The chip: a2a3, 950, ...; `ptoscope doctor` lists them.")]
StepBudget = Annotated[int | None, typer.Option(help="Steps after which an endless kernel is stopped.", min=1)]
Shapes = Annotated[
    list[str], typer.Option("--shape", help="Shape of a tensor parameter, NAME=EXTENT,EXTENT,...; may be repeated.")
]


class Language(str, Enum):
    ENGLISH = "en"
    CHINESE = "zh"
