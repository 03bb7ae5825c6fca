"""Operations that the framework composes of others (`vector/{math,binary,unary}.cpp`): division, powers, logarithms."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...dtype import BF16, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ..call import Call
from ..symbolic import unwrap
from .binary import combine, names_of, with_scalar
from .primitives import (
    CAST_TRUNC,
    FLOATS,
    HIGH_PRECISION,
    INTRINSIC,
    SATURATE,
    as_element,
    cast,
    check_operand,
    check_same_dtype,
    check_scalar,
    filled,
    like,
    result,
)
from .registry import Operation, declare, dtypes

_HALVES = (FP16, BF16)
_INTEGERS = (INT16, INT32)
_ARITHMETIC = dtypes((*FLOATS, *_INTEGERS))
_UNARY_RULES = ("PT302", "PT312", "PT401", "PT405")
_BINARY_RULES = (*_UNARY_RULES, "PT301", "PT402", "PT403")


def divide(call: Call, left: LogicalTensor, right: LogicalTensor, precision: int) -> LogicalTensor:
    """Record a DIV."""
    return combine(call, "DIV", left, right, attributes={"precision_type": precision})


def inverse(call: Call, operand: LogicalTensor, precision: int) -> LogicalTensor:
    """Record 1 / operand, for an operand of fp32."""
    ones = filled(call, operand.shape, FP32, 1.0, operand.valid_shape)
    return divide(call, ones, operand, precision)


def _div(call: Call) -> Value:
    left = check_operand(call, "input", _ARITHMETIC)
    precision = call.enumerator("precision_type")
    attributes = {"precision_type": precision}
    if call.is_tensor("other"):
        right = check_operand(call, "other", None)
        check_same_dtype(call, left, right, "other")
        if left.dtype in _INTEGERS:
            left, right = (cast(call, operand, FP32, saturation=SATURATE) for operand in (left, right))
        return result(call, divide(call, left, right, precision))
    value = check_scalar(call, "other", left.dtype)
    if left.dtype in _INTEGERS:
        wide = cast(call, left, FP32, saturation=SATURATE)
        return result(call, with_scalar(call, "DIVS", wide, float(value), attributes=attributes))
    return result(call, with_scalar(call, "DIVS", left, value, attributes=attributes))


def _neg(call: Call) -> Value:
    operand = check_operand(call, "a", _ARITHMETIC)
    return result(call, with_scalar(call, "MULS", operand, as_element(-1, operand.dtype)))


def _log(base: float | None) -> None:
    name = {None: "log", 2.0: "log2", 10.0: "log10"}[base]

    def build(call: Call) -> Value:
        operand = check_operand(call, "input", dtypes(FLOATS))
        wide = cast(call, operand, FP32) if operand.dtype in _HALVES else operand
        value = like(call, "LN", wide, attributes={"precision_type": call.enumerator("precision_type")})
        if base is not None:
            value = with_scalar(call, "DIVS", value, math.log(base))
        return result(call, cast(call, value, operand.dtype) if operand.dtype in _HALVES else value)

    words = {None: "Natural logarithm.", 2.0: "Logarithm to base 2.", 10.0: "Logarithm to base 10."}
    words_zh = {None: "自然对数。", 2.0: "以 2 为底的对数。", 10.0: "以 10 为底的对数。"}
    opcodes = ("LN", "CAST", "DIVS") if base else ("LN", "CAST")
    declare(
        Operation(
            f"pypto.{name}", "mathematics", build, words[base], words_zh[base],
            dtypes=dtypes(FLOATS), opcodes=opcodes, rules=_UNARY_RULES,
        )
    )  # fmt: skip


def _rsqrt(call: Call) -> Value:
    operand = check_operand(call, "input", dtypes(FLOATS))
    precision = call.enumerator("precision_type")
    wide = cast(call, operand, FP32) if operand.dtype != FP32 else operand
    root = like(call, "SQRT", wide, attributes={"precision_type": precision})
    value = inverse(call, root, precision)
    return result(call, cast(call, value, operand.dtype) if operand.dtype != FP32 else value)


def _round(call: Call) -> Value:
    operand = check_operand(call, "input", _ARITHMETIC)
    return result(call, like(call, "ROUND", operand, attributes={"op_attr_decimals": call.integer("decimals")}))


def _expm1(call: Call) -> Value:
    operand = check_operand(call, "input", _ARITHMETIC)
    return result(call, like(call, "EXPM1", operand, FP32 if operand.dtype in _INTEGERS else None))


def _pow(call: Call) -> Value:
    base = check_operand(call, "base", dtypes((*FLOATS, INT32, INT8, UINT8, INT16)))
    precision = call.enumerator("precision_type")
    if call.is_tensor("other"):
        return result(call, power(call, base, check_operand(call, "other", None), precision))
    exponent = call.number("other")
    operand = base
    if base.dtype == INT32 and isinstance(exponent, float):
        operand = cast(call, base, FP32)
    if operand.dtype.is_integer:
        attributes = {"precision_type": INTRINSIC}
        return result(call, with_scalar(call, "POWS", operand, int(exponent), attributes=attributes))
    if abs(exponent) < 1e-9:
        ones = filled(call, base.shape, FP32, 1.0, base.valid_shape)
        return result(call, ones if base.dtype == FP32 else cast(call, ones, base.dtype))
    wide = cast(call, operand, FP32) if operand.dtype in _HALVES else operand
    value = _constant_power(call, wide, float(exponent), precision)
    return result(call, cast(call, value, operand.dtype) if operand.dtype in _HALVES else value)


def _constant_power(call: Call, base: LogicalTensor, exponent: float, precision: int) -> LogicalTensor:
    if exponent == 0.5:
        return like(call, "SQRT", base)
    if exponent == -0.5:
        return inverse(call, like(call, "SQRT", base), HIGH_PRECISION)
    if exponent == 3.0:
        return combine(call, "MUL", combine(call, "MUL", base, base), base)
    if exponent == 2.0:
        return combine(call, "MUL", base, base)
    if exponent == -2.0:
        return inverse(call, combine(call, "MUL", base, base), HIGH_PRECISION)
    if exponent == -1.0:
        return inverse(call, base, HIGH_PRECISION)
    other = filled(call, base.shape, FP32, exponent, base.valid_shape)
    return combine(call, "POW", base, other, attributes={"precision_type": precision})


def power(call: Call, base: LogicalTensor, exponent: LogicalTensor, precision: int) -> LogicalTensor:
    """Record base ** exponent for two tensors."""
    if base.dtype.is_integer and exponent.dtype.is_integer:
        check_same_dtype(call, base, exponent, "other")
        return combine(call, "POW", base, exponent, attributes={"precision_type": INTRINSIC})
    kinds = {base.dtype, exponent.dtype}
    if INT32 in kinds:
        final = (kinds - {INT32}).pop()
    elif kinds == {FP16} or kinds == {BF16}:
        final = base.dtype
    else:
        final = FP32
    left, right = (operand if operand.dtype == FP32 else cast(call, operand, FP32) for operand in (base, exponent))
    value = combine(call, "POW", left, right, attributes={"precision_type": precision})
    return value if final == FP32 else cast(call, value, final)


def _clip(call: Call) -> Value:
    operand = check_operand(call, "input", _ARITHMETIC)
    low, high = call.value("min"), call.value("max")
    if low is None and high is None:
        return call.value("input")
    value = operand
    for parameter, opcode, scalar_opcode, limit in (("min", "MAXIMUM", "MAXS", low), ("max", "MINIMUM", "MINS", high)):
        if limit is None:
            continue
        if call.is_tensor(parameter):
            other = check_operand(call, parameter, None)
            check_same_dtype(call, operand, other, parameter)
            value = combine(call, opcode, value, other)
        else:
            value = with_scalar(call, scalar_opcode, value, check_scalar(call, parameter, operand.dtype))
    return result(call, value)


def _triangle(name: str, upper: bool, doc: str, doc_zh: str) -> None:
    types = dtypes((*FLOATS, INT16, INT32, INT8), (*FLOATS, INT16, INT32, INT8, UINT16, UINT32))

    def build(call: Call) -> Value:
        operand = check_operand(call, "input", types, (2, 5))
        diagonal = unwrap(call.value("diagonal"))
        if diagonal is None or isinstance(diagonal, float):
            call.wrong_type("diagonal", "an int or SymbolicScalar", "整数或 SymbolicScalar")
        attributes = {"DYN_SCALAR": diagonal, "IS_UPPER": upper}
        if operand.dtype != INT8:
            return result(call, like(call, "TRIUL", operand, attributes=attributes))
        kept = like(call, "TRIUL", cast(call, operand, FP16, saturation=SATURATE), attributes=attributes)
        return result(call, cast(call, kept, INT8, CAST_TRUNC, SATURATE))

    declare(
        Operation(
            f"pypto.{name}", "mathematics", build, doc, doc_zh,
            dtypes=types, ranks=(2, 5), opcodes=("TRIUL", "CAST"), rules=_UNARY_RULES,
        )
    )  # fmt: skip


def _remainder(call: Call) -> Value:
    types, precision = _ARITHMETIC, call.enumerator("precision_type")
    attributes = {"precision_type": precision}
    first, second = names_of(call)
    if not call.is_tensor(first):
        operand = check_operand(call, second, types)
        value = check_scalar(call, first, operand.dtype)
        return result(call, _widened(call, operand, "REMRS", value, {**attributes, "op_attr_reverseOperand": True}))
    left = check_operand(call, first, types)
    if not call.is_tensor(second):
        return result(call, _widened(call, left, "REMS", check_scalar(call, second, left.dtype), attributes))
    right = check_operand(call, second, None)
    check_same_dtype(call, left, right, second)
    if not _needs_width(call, left):
        return result(call, combine(call, "REM", left, right, attributes=attributes))
    numerator, divisor = (cast(call, operand, FP32, saturation=SATURATE) for operand in (left, right))
    wide = combine(call, "REM", numerator, divisor, attributes=attributes)
    return result(call, cast(call, wide, left.dtype, saturation=SATURATE))


def _needs_width(call: Call, operand: LogicalTensor) -> bool:
    return operand.dtype == FP16 or (operand.dtype == INT16 and call.tracer.target.arch != "3510")


def _fmod(call: Call) -> Value:
    attributes = {"precision_type": call.enumerator("precision_type")}
    left = check_operand(call, "input", dtypes(FLOATS))
    if not call.is_tensor("other"):
        value = check_scalar(call, "other", left.dtype)
        return result(call, with_scalar(call, "MODS", left, value, attributes=attributes))
    right = check_operand(call, "other", None)
    check_same_dtype(call, left, right, "other")
    if left.dtype != FP16:
        return result(call, combine(call, "MOD", left, right, attributes=attributes))
    wide = combine(call, "MOD", cast(call, left, FP32), cast(call, right, FP32), attributes=attributes)
    return result(call, cast(call, wide, FP16))


def _widened(
    call: Call, operand: LogicalTensor, opcode: str, value: int | float, attributes: Mapping[str, object]
) -> LogicalTensor:
    if not _needs_width(call, operand):
        return with_scalar(call, opcode, operand, value, attributes=attributes)
    wide = with_scalar(
        call, opcode, cast(call, operand, FP32, saturation=SATURATE), float(value), attributes=attributes
    )
    return cast(call, wide, operand.dtype, saturation=SATURATE)


def _lrelu(call: Call) -> Value:
    operand = check_operand(call, "other", dtypes(FLOATS))
    slope = float(call.number("negative_slope"))
    if operand.dtype not in _HALVES:
        return result(call, with_scalar(call, "LRELU", operand, slope))
    wide = with_scalar(call, "LRELU", cast(call, operand, FP32), slope)
    return result(call, cast(call, wide, operand.dtype))


for _base in (None, 2, 10):
    _log(_base)
_triangle("triu", True, "Zero below a diagonal.", "对角线以下置零。")
_triangle("tril", False, "Zero above a diagonal.", "对角线以上置零。")
for _name, _build, _doc, _doc_zh, _types, _opcodes, _rules in (
    ("div", _div, "Quotient.", "除。", _ARITHMETIC, ("DIV", "DIVS", "CAST", "RESHAPE"), _BINARY_RULES),
    ("neg", _neg, "Negation.", "取负。", _ARITHMETIC, ("MULS",), _UNARY_RULES),
    (
        "rsqrt", _rsqrt, "1 / sqrt(x).", "1 / sqrt(x)。", dtypes(FLOATS), ("SQRT", "VEC_DUP", "DIV", "CAST"),
        _UNARY_RULES,
    ),
    ("round", _round, "Round to the nearest.", "四舍五入。", _ARITHMETIC, ("ROUND",), _UNARY_RULES),
    ("expm1", _expm1, "exp(x) - 1.", "exp(x) - 1。", _ARITHMETIC, ("EXPM1",), _UNARY_RULES),
    (
        "pow", _pow, "Power.", "幂。", dtypes((*FLOATS, INT32, INT8, UINT8, INT16)),
        ("POW", "POWS", "SQRT", "MUL", "DIV", "VEC_DUP", "CAST"), _BINARY_RULES,
    ),
    (
        "clip", _clip, "Limit to a range.", "限制到范围内。", _ARITHMETIC, ("MAXIMUM", "MAXS", "MINIMUM", "MINS"),
        _BINARY_RULES,
    ),
    (
        "remainder", _remainder, "Remainder of a division.", "取余。", _ARITHMETIC,
        ("REM", "REMS", "REMRS", "CAST"), _BINARY_RULES,
    ),
    (
        "fmod", _fmod, "Remainder with the sign of the first.", "符号同被除数的余数。", dtypes(FLOATS),
        ("MOD", "MODS", "CAST"), _BINARY_RULES,
    ),
    ("lrelu", _lrelu, "Leaky relu.", "带泄漏的 relu。", dtypes(FLOATS), ("LRELU", "CAST"), _UNARY_RULES),
):  # fmt: skip
    declare(
        Operation(f"pypto.{_name}", "mathematics", _build, _doc, _doc_zh, dtypes=_types, opcodes=_opcodes, rules=_rules)
    )
