"""What a user's script gets instead of a kernel's result."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope_compiler.diagnostics.diagnostic import Diagnostic


class KernelError(RuntimeError):
    """A kernel could not be compiled or run. `is_finding`: the text is the whole story, no traceback is needed."""

    is_finding = True


class Rejected(KernelError):
    """The compiler found errors in the kernel, or cannot compile it; `diagnostics` are the findings."""

    def __init__(self, diagnostics: Sequence[Diagnostic], reason: str = "") -> None:
        self.diagnostics = list(diagnostics)
        lines = [f"{found.span}: {found.severity.value}[{found.code}]: {found.message()}" for found in self.diagnostics]
        super().__init__("\n".join([*lines, reason] if reason else lines))
