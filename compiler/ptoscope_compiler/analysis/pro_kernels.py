"""Checking a kernel of Pro mode."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics.diagnostic import Diagnostic
from ..evaluate.interpreter import Interpreter
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..evaluate.values import Value
from ..pro_mode.trace import trace_pro_kernel
from ..targets import Target


def check(
    kernel: Kernel, specialisation: Specialisation | None, target: Target, environment: StaticEnvironment
) -> list[Diagnostic]:
    """Findings of the kernel under one launch."""
    arguments: Sequence[Value] = specialisation.arguments.positional if specialisation is not None else ()
    trace = trace_pro_kernel(kernel.function, arguments, target, Interpreter(environment), kernel.options)
    return trace.diagnostics
