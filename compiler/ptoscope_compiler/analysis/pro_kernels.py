"""Checking a kernel of Pro mode."""

from __future__ import annotations

from ..diagnostics.diagnostic import Diagnostic
from ..evaluate.interpreter import Interpreter
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..pro_mode.parameters import TensorArgument
from ..pro_mode.trace import trace_pro_kernel
from ..targets import Target
from .arguments import arguments_of


def check(
    kernel: Kernel, call: Specialisation | None, target: Target, environment: StaticEnvironment
) -> list[Diagnostic]:
    """Findings of the kernel under one launch."""
    arguments = arguments_of(call, TensorArgument)
    trace = trace_pro_kernel(kernel.function, arguments, target, Interpreter(environment), kernel.options)
    return trace.diagnostics
