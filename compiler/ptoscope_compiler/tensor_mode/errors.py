"""How an operation that cannot be made ends."""

from __future__ import annotations

from ..diagnostics.diagnostic import Diagnostic


class Rejected(Exception):
    """The operation is wrong; `diagnostic` says why. Its value is Unknown and the trace goes on."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message())
        self.diagnostic = diagnostic


class Undecided(Exception):
    """An argument is not known, so neither is the result; nothing is wrong."""
