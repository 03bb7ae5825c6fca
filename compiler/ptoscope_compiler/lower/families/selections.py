"""Comparisons and choices. Source: `framework/src/interface/tileop/vector/{compare,where}.h` of hicann/pypto."""

from __future__ import annotations

from ...ir.graph import Operation
from ...scalar import ScalarLike
from ..operands import scalar
from ..registry import Stream, lowers

COMPARISONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


def _mode(operation: Operation) -> str:
    kind = operation.attributes["op_attr_cmp_operation"]
    return COMPARISONS[kind] if isinstance(kind, int) else str(getattr(kind, "name", kind))


@lowers("CMP")
def compare(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TCMP", operation.outputs[:1], operation.inputs[:2], compare=_mode(operation))


@lowers("CMPS")
def compare_scalar(stream: Stream, operation: Operation) -> None:
    value = scalar(operation.attributes["SCALAR"])
    stream.emit(operation, "TCMPS", operation.outputs[:1], (operation.inputs[0], value), compare=_mode(operation))


@lowers("LOGICALNOT")
def is_zero(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TCMPS", operation.outputs[:1], (operation.inputs[0], 0), compare="EQ")


@lowers("ISNAN")
def is_nan(stream: Stream, operation: Operation) -> None:
    """Only NaN differs from itself."""
    value = operation.inputs[0]
    stream.emit(operation, "TCMP", operation.outputs[:1], (value, value), compare="NE")


@lowers("WHERE_TT")
def select(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TSEL", operation.outputs[:1], operation.inputs[:3])


@lowers("WHERE_TS")
def select_tile_or_scalar(stream: Stream, operation: Operation) -> None:
    mask, left = operation.inputs[:2]
    stream.emit(operation, "TSELS", operation.outputs[:1], (mask, left, _constants(operation)[-1]))


@lowers("WHERE_ST")
def select_scalar_or_tile(stream: Stream, operation: Operation) -> None:
    mask, right = operation.inputs[:2]
    stream.emit(operation, "TSELS", operation.outputs[:1], (mask, _constants(operation)[0], right))


@lowers("WHERE_SS")
def select_scalars(stream: Stream, operation: Operation) -> None:
    (result,) = operation.outputs[:1]
    left, right = _constants(operation)
    stream.emit(operation, "TEXPANDS", (result,), (right,))
    stream.emit(operation, "TSELS", (result,), (operation.inputs[0], left, result))


def _constants(operation: Operation) -> tuple[ScalarLike, ...]:
    several = operation.attribute("SCALARS")
    values = (operation.attributes["SCALAR"],) if several is None else several
    return tuple(scalar(value) for value in values)
