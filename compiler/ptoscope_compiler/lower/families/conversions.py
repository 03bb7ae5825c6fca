"""CAST. Source: `framework/src/interface/tileop/vector/cast.h` of hicann/pypto."""

from __future__ import annotations

from ...ir.graph import Operation
from ..registry import Stream, lowers

ROUND_MODES = ("CAST_NONE", "CAST_RINT", "CAST_ROUND", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC", "CAST_ODD")
_SATURATES, _WRAPS = 0, 1


@lowers("CAST")
def cast(stream: Stream, operation: Operation) -> None:
    mode = ROUND_MODES[operation.attribute("op_attr_mode", 0)]
    saturate = operation.attribute("op_attr_satmode", _WRAPS) == _SATURATES
    stream.emit(
        operation,
        "TCVT",
        operation.outputs[:1],
        operation.inputs,
        round=None if mode == "CAST_NONE" else mode,
        saturate=saturate,
    )
