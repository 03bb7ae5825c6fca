"""Tiles made from scalars. Source: `framework/src/interface/tileop/vector/{vector_dup,range}.h` of hicann/pypto."""

from __future__ import annotations

from ...ir.graph import Operation
from ...scalar import add, mul
from ..operands import scalar
from ..registry import Stream, lowers


@lowers("VEC_DUP")
def full(stream: Stream, operation: Operation) -> None:
    value = operation.attribute("SCALAR")
    value = operation.attribute("DYN_SCALAR") if value is None else value
    stream.emit(operation, "TEXPANDS", operation.outputs[:1], (scalar(value),))


@lowers("RANGE")
def arange(stream: Stream, operation: Operation) -> None:
    """`DYN_SCALAR` counts the elements before this tile."""
    (result,) = operation.outputs[:1]
    attribute = operation.attribute
    start, step = (scalar(attribute(f"op_attr_{name}", attribute(name))) for name in ("START", "STEP"))
    first = add(start, mul(attribute("DYN_SCALAR", 0), step))
    if step == 1:
        stream.emit(operation, "TCI", (result,), (first,))
        return
    stream.emit(operation, "TCI", (result,), (0,))
    stream.emit(operation, "TMULS", (result,), (result, step))
    stream.emit(operation, "TADDS", (result,), (result, first))
