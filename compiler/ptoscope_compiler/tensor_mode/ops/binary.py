"""Element-wise operations on two tensors, or a tensor and a constant (`vector/binary.cpp`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...diagnostics.rules import pt301_shapes_do_not_broadcast
from ...dtype import BOOL, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, DType
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ...scalar import known
from ..call import Call
from ..text import shape_text
from .primitives import (
    FLOATS,
    broadcast_shape,
    cast,
    check_operand,
    check_same_dtype,
    check_scalar,
    emit,
    like,
    match_ranks,
    result,
)
from .registry import Operation, declare, dtypes

_RULES = ("PT301", "PT302", "PT312", "PT401", "PT402", "PT403", "PT405")


def combine(
    call: Call,
    opcode: str,
    left: LogicalTensor,
    right: LogicalTensor,
    dtype: DType | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> LogicalTensor:
    """Record a binary operation over the broadcast of its operands."""
    left, right = match_ranks(call, left, right)
    shape, valid = broadcast_shape(call, left, right)
    return emit(call, opcode, (left, right), shape, dtype or left.dtype, valid, attributes)


def with_scalar(
    call: Call,
    opcode: str,
    operand: LogicalTensor,
    value: int | float,
    dtype: DType | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> LogicalTensor:
    """Record an operation with a constant."""
    return like(call, opcode, operand, dtype, {"SCALAR": value, **(attributes or {})})


def names_of(call: Call) -> tuple[str, str]:
    """Names of the first two parameters."""
    first, second, *_ = call.arguments
    return first, second


def _declare(
    name: str,
    opcode: str,
    scalar_opcode: str | None,
    doc: str,
    doc_zh: str,
    supported: Iterable[DType],
    on_950: Iterable[DType] | None = None,
) -> None:
    types = dtypes(supported, on_950)

    def build(call: Call) -> Value:
        first, second = names_of(call)
        left = check_operand(call, first, types)
        if scalar_opcode is not None and not call.is_tensor(second):
            return result(call, with_scalar(call, scalar_opcode, left, check_scalar(call, second, left.dtype)))
        right = check_operand(call, second, None)
        check_same_dtype(call, left, right, second)
        return result(call, combine(call, opcode, left, right))

    opcodes = (opcode, scalar_opcode) if scalar_opcode else (opcode,)
    declare(
        Operation(
            f"pypto.{name}", "binary", build, doc, doc_zh,
            shape="the broadcast of both operands", valid_shape="per axis that of the operand of the result's size",
            dtypes=types, opcodes=(*opcodes, "RESHAPE"), rules=_RULES,
        )
    )  # fmt: skip


_ARITHMETIC = (INT32, INT16, *FLOATS)
_WIDE = (*_ARITHMETIC, UINT32, UINT16, UINT8, INT8)
_BITS = (INT8, UINT8, INT16, UINT16, INT32, UINT32)

_declare("add", "ADD", "ADDS", "Sum.", "加。", _ARITHMETIC, (*_ARITHMETIC, UINT8, INT8))
_declare("sub", "SUB", "SUBS", "Difference.", "减。", _ARITHMETIC, (*_ARITHMETIC, UINT8, INT8))
_declare("mul", "MUL", "MULS", "Product.", "乘。", _ARITHMETIC)
_declare("bitwise_and", "BITWISEAND", "BITWISEANDS", "Bitwise and.", "按位与。", _BITS)
_declare("bitwise_or", "BITWISEOR", "BITWISEORS", "Bitwise or.", "按位或。", _BITS)
_declare("bitwise_xor", "BITWISEXOR", "BITWISEXORS", "Bitwise exclusive or.", "按位异或。", _BITS)
_declare("gcd", "GCD", "GCDS", "Greatest common divisor.", "最大公约数。", (INT8, INT16, INT32, UINT8))
_declare(
    "floor_div", "FLOORDIV", "FLOORDIVS", "Quotient, rounded down.", "向下取整的商。", (*FLOATS, INT32, INT8, UINT8)
)
_declare("hypot", "HYPOT", None, "sqrt(x * x + y * y).", "sqrt(x * x + y * y)。", FLOATS)
_declare("expand_exp_dif", "EXPANDEXPDIF", None, "exp(x - y).", "exp(x - y)。", FLOATS)


def _extreme(opcode: str, scalar_opcode: str, doc: str, doc_zh: str) -> None:
    types = dtypes(_ARITHMETIC, _WIDE)

    def build(call: Call) -> Value:
        first, second = names_of(call)
        if not call.is_tensor(first):
            first, second = second, first
        left = check_operand(call, first, types)
        if not call.is_tensor(second):
            return result(call, with_scalar(call, scalar_opcode, left, check_scalar(call, second, left.dtype)))
        right = check_operand(call, second, None)
        check_same_dtype(call, left, right, second)
        return result(call, combine(call, opcode, left, right))

    declare(
        Operation(
            f"pypto.{opcode.lower()}", "binary", build, doc, doc_zh,
            shape="the broadcast of both operands", valid_shape="per axis that of the operand of the result's size",
            dtypes=types, opcodes=(opcode, scalar_opcode, "RESHAPE"), rules=_RULES,
        )
    )  # fmt: skip


_extreme("MAXIMUM", "MAXS", "The larger of each pair.", "逐元素取较大值。")
_extreme("MINIMUM", "MINS", "The smaller of each pair.", "逐元素取较小值。")


def _logical_and(call: Call) -> Value:
    types = dtypes((*FLOATS, INT8, UINT8, BOOL, INT16, INT32))
    left, right = (check_operand(call, name, types) for name in names_of(call))
    return result(call, combine(call, "LOGICALAND", left, right, BOOL))


declare(
    Operation(
        "pypto.logical_and", "binary", _logical_and, "Whether both are not zero.", "逻辑与。",
        shape="the broadcast of both operands", dtypes=dtypes((*FLOATS, INT8, UINT8, BOOL, INT16, INT32)),
        opcodes=("LOGICALAND",), rules=_RULES,
    )
)  # fmt: skip


def _shift(name: str, opcode: str, doc: str, doc_zh: str) -> None:
    types = dtypes((INT16, UINT16), _BITS)

    def build(call: Call) -> Value:
        if not call.is_tensor("input"):
            operand = check_operand(call, "other", types)
            return result(call, with_scalar(call, f"S{opcode}", operand, check_scalar(call, "input", operand.dtype)))
        left = check_operand(call, "input", types)
        if not call.is_tensor("other"):
            return result(call, with_scalar(call, f"{opcode}S", left, check_scalar(call, "other", left.dtype)))
        right = check_operand(call, "other", None)
        check_same_dtype(call, left, right, "other")
        return result(call, combine(call, opcode, left, right))

    declare(
        Operation(
            f"pypto.{name}", "binary", build, doc, doc_zh,
            shape="the broadcast of both operands", valid_shape="per axis that of the operand of the result's size",
            dtypes=types, opcodes=(opcode, f"{opcode}S", f"S{opcode}"), rules=_RULES,
        )
    )  # fmt: skip


_shift("bitwise_left_shift", "BITWISELEFTSHIFT", "Shift bits to the left.", "左移位。")
_shift("bitwise_right_shift", "BITWISERIGHTSHIFT", "Shift bits to the right.", "右移位。")


def _atan2(call: Call) -> Value:
    left, right = (check_operand(call, name, _FLOATING) for name in ("y", "x"))
    check_same_dtype(call, left, right, "x")
    if left.dtype == FP32:
        return result(call, combine(call, "ATAN2", left, right))
    wide = combine(call, "ATAN2", cast(call, left, FP32), cast(call, right, FP32))
    return result(call, cast(call, wide, left.dtype))


def _copysign(call: Call) -> Value:
    left, right = (check_operand(call, name, _SIGNED) for name in ("input", "other"))
    check_same_dtype(call, left, right, "other")
    if left.dtype in (INT16, INT32):
        left, right = cast(call, left, FP32), cast(call, right, FP32)
    return result(call, combine(call, "COPYSIGN", left, right))


def _prelu(call: Call) -> Value:
    operand, weight = check_operand(call, "self", _FLOATING), check_operand(call, "weight", _FLOATING, (1, 1))
    check_same_dtype(call, operand, weight, "weight")
    channels = operand.shape[1] if operand.rank > 1 else 1
    if known(channels) and known(weight.shape[0]) and weight.shape[0] != channels:
        call.reject(
            pt301_shapes_do_not_broadcast.RULE,
            call.place("weight"),
            operation=call.operation,
            left=shape_text(operand.shape),
            right=shape_text(weight.shape),
            axis=min(operand.rank - 1, 1),
            left_size=channels,
            right_size=weight.shape[0],
        )
    attributes = (operand.shape, operand.dtype, operand.valid_shape)
    return result(call, emit(call, "PRELU", (operand, weight), *attributes))


_FLOATING, _SIGNED = dtypes(FLOATS), dtypes(_ARITHMETIC)
for _name, _build, _doc, _doc_zh, _types, _opcodes in (
    ("atan2", _atan2, "Angle of each pair.", "逐对求方位角。", _FLOATING, ("ATAN2", "CAST")),
    (
        "copysign",
        _copysign,
        "The first with the sign of the second.",
        "取第二个操作数的符号。",
        _SIGNED,
        ("COPYSIGN", "CAST"),
    ),
    ("prelu", _prelu, "Leaky relu with a slope per channel.", "逐通道斜率的 relu。", _FLOATING, ("PRELU",)),
):
    declare(Operation(f"pypto.{_name}", "binary", _build, _doc, _doc_zh, dtypes=_types, opcodes=_opcodes, rules=_RULES))
