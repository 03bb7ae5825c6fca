"""A column or row repeated over a tile. Source: `framework/src/interface/tileop/vector/expand.h` of hicann/pypto."""

from __future__ import annotations

from ...ir.graph import Operation
from ..registry import Stream, lowers


@lowers("BRCB")
def spread_column(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TROWEXPAND", operation.outputs, operation.inputs)


@lowers("EXPAND")
def expand(stream: Stream, operation: Operation) -> None:
    axes = list(operation.attributes["op_attr_expand_dims"])
    rank = operation.outputs[0].rank
    if axes == [rank - 1]:
        stream.emit(operation, "TROWEXPAND", operation.outputs[:1], operation.inputs)
    elif not axes:
        stream.emit(operation, "TMOV", operation.outputs[:1], operation.inputs)
    else:
        stream.emit(operation, "TCOLEXPAND", operation.outputs[:1], operation.inputs, axis=axes[0] - rank)
