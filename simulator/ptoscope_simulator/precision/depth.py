"""How many terms a kernel sums for one element: the longest reduction or matrix product of its Tensor graph."""

from __future__ import annotations

from collections.abc import Mapping

from ptoscope_compiler.ir.graph import LogicalTensor, Operation
from ptoscope_compiler.ir.kernel import TensorKernel
from ptoscope_compiler.scalar import Number, evaluate


def reduction_depth(kernel: TensorKernel, environment: Mapping[str, Number]) -> int:
    """At least 1; extents that the environment does not determine do not count."""
    depths = [_depth(operation, environment) for segment in kernel.segments() for operation in segment.graph.operations]
    return max(depths, default=1)


def _depth(operation: Operation, environment: Mapping[str, Number]) -> int:
    if operation.opcode in ("A_MUL_B", "A_MULACC_B"):
        return _extent(operation.inputs[0], -2 if operation.attribute("op_attr_trans_a", False) else -1, environment)
    if operation.opcode.startswith("ROWSUM") or operation.opcode.startswith("ROWPROD"):
        return _extent(operation.inputs[0], int(operation.attribute("op_attr_AXIS", -1)), environment)
    if operation.opcode in ("CUM_SUM", "CUM_PROD"):
        return _extent(operation.inputs[0], int(operation.attribute("op_attr_axis", -1)), environment)
    return 1


def _extent(tensor: LogicalTensor, axis: int, environment: Mapping[str, Number]) -> int:
    try:
        return max(int(evaluate(tensor.shape[axis], environment)), 1)
    except (KeyError, ZeroDivisionError):
        return 1
