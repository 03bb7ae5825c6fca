"""Reductions of one tile along one axis; the scratch tile is named in attribute `tmp`.

Source: `framework/src/interface/tileop/vector/reduce.h` of hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from ..registry import Stream, lowers

KINDS = ("MAX", "MIN", "SUM", "PROD")


@lowers(*(f"ROW{kind}_SINGLE" for kind in KINDS))
def rows(stream: Stream, operation: Operation) -> None:
    result, *scratch = operation.outputs
    opcode = f"T{operation.opcode.removesuffix('_SINGLE')}"
    tmp = stream.operand(scratch[0]) if scratch else None
    stream.emit(operation, opcode, (result,), operation.inputs[:1], tmp=tmp)


@lowers(*(f"ROW{kind}WITHVALUE_{form}" for kind in ("ARGMAX", "ARGMIN") for form in ("SINGLE", "LINE")))
def places(stream: Stream, operation: Operation) -> None:
    """The extreme element of each row or line, and its place."""
    kind, form = operation.opcode.removeprefix("ROW").split("WITHVALUE_")
    axis = operation.attributes["op_attr_AXIS"] - operation.inputs[0].rank
    opcode = f"TROW{kind}" if form == "SINGLE" else f"TCOL{kind}"
    stream.emit(operation, opcode, operation.outputs[:2], operation.inputs[:1], axis=axis)


@lowers("PAIRARGMAX", "PAIRARGMIN")
def better_places(stream: Stream, operation: Operation) -> None:
    """Of two values, each with its place, the more extreme one."""
    opcode = operation.opcode.replace("PAIR", "TPART")
    left, left_place, right, right_place = operation.inputs
    stream.emit(operation, opcode, operation.outputs[:2], (left, right, left_place, right_place))


@lowers(*(f"ROW{kind}LINE" for kind in KINDS))
def lines(stream: Stream, operation: Operation) -> None:
    result, *scratch = operation.outputs
    kind = operation.opcode.removeprefix("ROW").removesuffix("LINE")
    axis = operation.attributes["op_attr_AXIS"] - operation.inputs[0].rank
    tmp = stream.operand(scratch[0]) if scratch else None
    stream.emit(operation, f"TCOL{kind}", (result,), operation.inputs[:1], axis=axis, tmp=tmp)
