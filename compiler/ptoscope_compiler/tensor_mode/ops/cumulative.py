"""`cumsum` and `cumprod` (`CumOperation` in `vector/math.cpp`): along the last axis on the transposed tensor."""

from __future__ import annotations

from collections.abc import Iterable

from ...dtype import BF16, BY_NAME, FP16, FP32, INT16, INT32, DType
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ..call import Call
from .primitives import CAST_TRUNC, FLOATS, check_operand, like, normalised_axis, result
from .registry import Operation, declare, dtypes
from .transposition import tile_for, transposed

_INT64 = BY_NAME["DT_INT64"]


def _accumulated(call: Call, opcode: str, operand: LogicalTensor, axis: int) -> LogicalTensor:
    """Record the accumulation, in a wider type where the operand's is narrow."""
    attributes = {"op_attr_axis": axis, "op_attr_flag": opcode == "CUM_SUM"}
    if operand.dtype == INT16:
        wide = _converted(call, _converted(call, operand, FP32), INT32, CAST_TRUNC)
        return _converted(call, like(call, opcode, wide, None, attributes), _INT64)
    if operand.dtype in (FP16, BF16):
        wide = _converted(call, operand, FP32)
        return _converted(call, like(call, opcode, wide, None, attributes), operand.dtype)
    return like(call, opcode, operand, _INT64 if operand.dtype == INT32 else None, attributes)


def _converted(call: Call, operand: LogicalTensor, dtype: DType, mode: int = 0) -> LogicalTensor:
    return like(call, "CAST", operand, dtype, {"op_attr_mode": mode})


def _declare(name: str, opcode: str, doc: str, doc_zh: str, supported: Iterable[DType]) -> None:
    types = dtypes(supported)

    def build(call: Call) -> Value:
        operand = check_operand(call, "input", types)
        axis = normalised_axis(call, "dim", operand)
        last = operand.rank - 1
        if operand.dtype in (INT16, INT32) or axis == 0 or axis != last:
            return result(call, _accumulated(call, opcode, operand, axis))
        tile = tile_for(call, operand)
        turned = transposed(call, operand, last - 1, last, tile)
        swapped = (*tile[:-2], tile[-1], tile[-2])
        with call.session.configuration.vector_tile(swapped):
            total = _accumulated(call, opcode, turned, last - 1)
            return result(call, transposed(call, total, last - 1, last, swapped))

    declare(
        Operation(
            f"pypto.{name}", "cumulative", build, doc, doc_zh, dtypes=types,
            opcodes=(opcode, "CAST", "TRANSPOSE_VNCHWCONV"),
            rules=("PT302", "PT307", "PT308", "PT311", "PT312", "PT401"),
        )
    )  # fmt: skip


_declare("cumsum", "CUM_SUM", "Running sum along an axis.", "沿轴的累加和。", (*FLOATS, INT32, INT16))
_declare("cumprod", "CUM_PROD", "Running product along an axis.", "沿轴的累乘积。", FLOATS)
