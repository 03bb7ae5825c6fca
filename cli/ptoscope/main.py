"""The `ptoscope` command: one file per subcommand."""

from __future__ import annotations

import typer

from .check import check
from .doctor import doctor
from .ir import ir
from .precision import precision
from .run import pytest, run

app = typer.Typer(
    name="ptoscope",
    help="See inside a PyPTO kernel before it reaches an NPU.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}

app.command()(check)
app.command()(ir)
app.command(context_settings=_PASS_ON)(run)
app.command(context_settings=_PASS_ON)(pytest)
app.command()(precision)
app.command()(doctor)


def main() -> None:
    app()
