"""Reductions over one axis (`vector/reduction.cpp`)."""

from __future__ import annotations

from collections.abc import Iterable

from ...dtype import BF16, FP16, FP32, INT8, INT16, INT32, UINT8, DType
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ..call import Call
from .primitives import FLOATS, cast, check_operand, emit, normalised_axis, reshaped, result
from .registry import Operation, declare, dtypes


def reduced(call: Call, opcode: str, operand: LogicalTensor, axis: int, dtype: DType | None = None) -> LogicalTensor:
    """Record a reduction; the axis stays, with size 1."""
    shape = (*operand.shape[:axis], 1, *operand.shape[axis + 1 :])
    valid = (*operand.valid_shape[:axis], 1, *operand.valid_shape[axis + 1 :])
    return emit(call, opcode, (operand,), shape, dtype or operand.dtype, valid, {"op_attr_AXIS": axis})


def squeezed(call: Call, value: LogicalTensor, operand: LogicalTensor, axis: int) -> LogicalTensor:
    """Record the RESHAPE that drops the reduced axis; a tensor of one axis keeps it."""
    if operand.rank == 1:
        return value
    shape = (*value.shape[:axis], *value.shape[axis + 1 :])
    return reshaped(call, value, shape, (*operand.valid_shape[:axis], *operand.valid_shape[axis + 1 :]))


def _declare(
    name: str,
    opcode: str,
    doc: str,
    doc_zh: str,
    supported: Iterable[DType],
    on_950: Iterable[DType] | None = None,
    makes: DType | None = None,
) -> None:
    types = dtypes(supported, on_950)

    def build(call: Call) -> Value:
        operand = check_operand(call, next(iter(call.arguments)), types)
        axis = normalised_axis(call, "dim", operand)
        source = cast(call, operand, FP32) if makes is not None and operand.dtype == FP16 else operand
        value = reduced(call, opcode, source, axis, makes)
        return result(call, value if call.boolean("keepdim") else squeezed(call, value, operand, axis))

    declare(
        Operation(
            f"pypto.{name}", "reduction", build, doc, doc_zh,
            shape="that of the operand with the axis 1, or without it", dtypes=types,
            opcodes=(opcode, "RESHAPE", *(("CAST",) if makes else ())),
            rules=("PT302", "PT311", "PT312", "PT401", "PT405"),
        )
    )  # fmt: skip


_ORDERED = (*FLOATS, INT16, INT32)

_declare("sum", "ROWSUM_SINGLE", "Sum over an axis.", "沿轴求和。", (FP32, BF16, INT32, INT16))
_declare("amax", "ROWMAX_SINGLE", "Largest over an axis.", "沿轴取最大值。", _ORDERED, (*_ORDERED, INT8, UINT8))
_declare("amin", "ROWMIN_SINGLE", "Smallest over an axis.", "沿轴取最小值。", _ORDERED, (*_ORDERED, INT8, UINT8))
_declare("prod", "ROWPROD_SINGLE", "Product over an axis.", "沿轴求积。", (FP32, INT32, INT16))
_declare("argmax", "ROWARGMAX_SINGLE", "Index of the largest.", "最大值的下标。", FLOATS, makes=INT32)
_declare("argmin", "ROWARGMIN_SINGLE", "Index of the smallest.", "最小值的下标。", FLOATS, makes=INT32)
