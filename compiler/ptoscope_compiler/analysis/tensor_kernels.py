"""Checking a kernel of Tensor mode."""

from __future__ import annotations

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..evaluate.interpreter import Interpreter
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..pipeline import run_kernel_passes
from ..targets import Target
from ..tensor_mode.kernel import TensorModeKernel
from ..tensor_mode.trace import trace_kernel
from .arguments import in_order


def check(
    kernel: Kernel, call: Specialisation | None, target: Target, environment: StaticEnvironment
) -> list[Diagnostic]:
    """Findings of the kernel under one call: those of its trace and, where that is sound, those of the passes."""
    assert isinstance(kernel, TensorModeKernel)
    arguments = in_order(kernel.function, call.arguments) if call is not None else ()
    settings = call.launch if call is not None else None
    found: list[Diagnostic] = []
    interpreter = Interpreter(environment)
    trace = trace_kernel(kernel.function, arguments, target, interpreter, kernel.session, settings, kernel.options)
    found.extend(trace.diagnostics)
    if trace.kernel is not None and not any(finding.severity is Severity.ERROR for finding in found):
        run_kernel_passes(trace.kernel, target, report=found.append)
    return found
