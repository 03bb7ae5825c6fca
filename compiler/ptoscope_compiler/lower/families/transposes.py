"""Two axes exchanged. Source: `framework/src/interface/tileop/vector/{trans,mte}.h` of hicann/pypto."""

from __future__ import annotations

from ...ir.graph import Operation
from ..operands import window
from ..registry import Stream, lowers


def _order(operation: Operation) -> tuple[int, ...]:
    first, second = operation.attributes["op_attr_shape"]
    order = list(range(operation.inputs[0].rank))
    order[first], order[second] = order[second], order[first]
    return tuple(order)


@lowers("TRANSPOSE_VNCHWCONV")
def transpose(stream: Stream, operation: Operation) -> None:
    result, *scratch = operation.outputs
    order = _order(operation)
    rank = len(order)
    permutation = None if order == (*range(rank - 2), rank - 1, rank - 2) else order
    tmp = stream.operand(scratch[0]) if scratch else None
    stream.emit(operation, "TTRANS", (result,), operation.inputs, permutation=permutation, tmp=tmp)


@lowers("TRANSPOSE_MOVEOUT")
def store_transposed(stream: Stream, operation: Operation) -> None:
    target = window(operation.outputs[0], _order(operation))
    stream.emit(operation, "TSTORE", (target,), operation.inputs)


@lowers("TRANSPOSE_MOVEIN")
def load_transposed(stream: Stream, operation: Operation) -> None:
    source = window(operation.inputs[0], _order(operation))
    stream.emit(operation, "TLOAD", operation.outputs, (source,))
