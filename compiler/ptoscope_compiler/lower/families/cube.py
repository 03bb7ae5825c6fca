"""Matrix products. Source: `framework/src/interface/tileop/cube` of hicann/pypto (TMatmul)."""

from __future__ import annotations

from ...hardware import MemorySpace
from ...ir.graph import Operation
from ..registry import NotLowered, Stream, lowers


@lowers("A_MUL_B")
def multiply(stream: Stream, operation: Operation) -> None:
    left, right, *others = operation.inputs
    bias = [tensor for tensor in others if tensor.memory is MemorySpace.BT]
    if len(others) > len(bias) + sum(tensor.memory is MemorySpace.FB for tensor in others):
        raise NotLowered(operation, "it accumulates in global memory")
    if bias:
        stream.emit(operation, "TMATMUL_BIAS", operation.outputs, (left, right, bias[0]))
    else:
        stream.emit(operation, "TMATMUL", operation.outputs, (left, right))


@lowers("A_MULACC_B")
def multiply_accumulate(stream: Stream, operation: Operation) -> None:
    left, right, accumulator = operation.inputs[:3]
    stream.emit(operation, "TMATMUL_ACC", operation.outputs, (accumulator, left, right))
