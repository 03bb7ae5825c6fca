"""Checking a kernel of Tensor mode."""

from __future__ import annotations

from dataclasses import replace

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..diagnostics.rules import pt913_capacity_not_checked
from ..evaluate.interpreter import Interpreter
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..targets import Target
from ..tensor_mode.kernel import TensorModeKernel
from ..tensor_mode.trace import TensorArgument, Trace, trace_kernel
from .arguments import arguments_of
from .capacity import check_capacity

_HOLD_FOR_ANY_SHAPE = frozenset({"PT601", "PT602", "PT603", "PT606", "PT650", "PT660"})
"""Rules about names and constructs. All others need the shapes of the parameters."""


def check(
    kernel: Kernel, call: Specialisation | None, target: Target, environment: StaticEnvironment
) -> list[Diagnostic]:
    """Findings of the kernel under one call: those of its trace and, where that is sound, those of the passes."""
    assert isinstance(kernel, TensorModeKernel)
    arguments = arguments_of(call, TensorArgument)
    settings = call.launch if call is not None else None
    interpreter = Interpreter(environment)
    trace = trace_kernel(kernel.function, arguments, target, interpreter, kernel.session, settings, kernel.options)
    if _is_open(kernel, trace):
        return [_doubted(finding) for finding in trace.diagnostics if finding.code in _HOLD_FOR_ANY_SHAPE]
    found = list(trace.diagnostics)
    if trace.kernel is None or any(finding.severity is Severity.ERROR for finding in found):
        return found
    if not check_capacity(trace.kernel, target, found.append):
        found.append(pt913_capacity_not_checked.RULE.at(trace.kernel.origin, kernel=kernel.name))
    return found


def _is_open(kernel: Kernel, trace: Trace) -> bool:
    """Whether neither the signature nor the call gives the shape of some parameter."""
    body = kernel.function.node.body
    first = body[0] if isinstance(body, list) else body
    first_line = first.lineno + kernel.function.lines_above
    path = kernel.function.module.file
    return any(origin.span.file == path and origin.span.line < first_line for origin in trace.incomplete)


def _doubted(finding: Diagnostic) -> Diagnostic:
    """No error is proven of a kernel of which nobody knows how it is called."""
    return replace(finding, severity=Severity.WARNING) if finding.severity is Severity.ERROR else finding
