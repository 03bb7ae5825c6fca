"""Operators of a tensor, as the operations that the official front end calls for them (`python/pypto/tensor.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..dtype import BF16, FP16, FP32, INT8, INT32
from ..evaluate.values import Arguments, Unknown, Unsupported, Value, is_unknown
from .enums import of_dtype
from .ops.registry import call_operation

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .tensor import Tensor


class _Run(Protocol):
    """Calls `pypto.<name>`."""

    def __call__(self, name: str, *arguments: Value) -> Value: ...


def binary(tensor: Tensor, operation: str, other: Value, reflected: bool, site: Site) -> Value:
    """`tensor <operation> other`, or the other way round where `reflected`."""
    if is_unknown(other):
        return Unknown("operand")

    def run(name: str, *arguments: Value) -> Value:
        return call_operation(tensor.session, f"pypto.{name}", Arguments(arguments, {}), site)

    if reflected:
        return _reflected(tensor, operation, other, run)
    if operation == "matmul":
        return _matmul(tensor, other, run)
    if operation == "floordiv":
        return run("floor", run("div", tensor, other))
    if operation == "mod":
        return run("remainder", tensor, other)
    return run(operation, tensor, other)


def _reflected(tensor: Tensor, operation: str, other: Value, run: _Run) -> Value:
    if operation in ("add", "mul"):
        return run(operation, tensor, other)
    if operation == "sub":
        return run("neg", run("sub", tensor, other))
    if operation == "div":
        return run("mul", run("reciprocal", tensor), other)
    raise Unsupported("a pypto.Tensor must stand on the left of this operator")


def _matmul(tensor: Tensor, other: Value, run: _Run) -> Value:
    from .tensor import Tensor

    if not isinstance(other, Tensor):
        raise Unsupported("'@' needs a pypto.Tensor on both sides")
    if other.dtype in (FP16, BF16, FP32):
        return run("matmul", tensor, other, of_dtype(other.dtype))
    if other.dtype == INT8:
        return run("matmul", tensor, other, of_dtype(INT32))
    raise Unsupported(f"'@' does not take {other.dtype}")


def negative(tensor: Tensor, site: Site) -> Value:
    """`-tensor`."""
    return call_operation(tensor.session, "pypto.neg", Arguments((tensor,), {}), site)
