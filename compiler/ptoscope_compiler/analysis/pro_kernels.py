"""Checking a kernel of Pro mode."""

from __future__ import annotations

from ..diagnostics.diagnostic import Diagnostic
from ..evaluate.arrays.array import AbstractArray
from ..evaluate.interpreter import Interpreter
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..evaluate.values import Unknown, Value
from ..pro_mode.parameters import TensorArgument
from ..pro_mode.trace import trace_pro_kernel
from ..targets import Target
from .arguments import in_order, shape_and_dtype


def check(
    kernel: Kernel, call: Specialisation | None, target: Target, environment: StaticEnvironment
) -> list[Diagnostic]:
    """Findings of the kernel under one launch."""
    arguments = [_argument(value) for value in in_order(kernel.function, call.arguments)] if call is not None else []
    trace = trace_pro_kernel(kernel.function, arguments, target, Interpreter(environment), kernel.options)
    return trace.diagnostics


def _argument(value: Value) -> Value:
    known = shape_and_dtype(value)
    if known is not None:
        return TensorArgument(*known)
    return Unknown("tensor") if isinstance(value, AbstractArray) else value
