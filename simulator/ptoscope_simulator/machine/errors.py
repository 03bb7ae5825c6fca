"""How a run ends that cannot go on: a coded finding at the line of the program that is at fault."""

from __future__ import annotations

from ptoscope_compiler.diagnostics.diagnostic import Diagnostic


class MachineError(Exception):
    """A fault of the program or of its launch; `diagnostic` carries code, place and texts."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(f"{diagnostic.origin.span}: {diagnostic.code} {diagnostic.message()}")
