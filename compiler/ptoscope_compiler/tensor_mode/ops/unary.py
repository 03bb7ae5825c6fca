"""Element-wise operations on one tensor (`framework/src/interface/operation/vector/{unary,math}.cpp`)."""

from __future__ import annotations

from collections.abc import Iterable

from ...dtype import BF16, BOOL, BY_NAME, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, DType
from ...evaluate.values import Value
from ..call import Call
from .primitives import FLOATS, cast, check_operand, like, result
from .registry import Operation, declare, dtypes


def _first(call: Call) -> str:
    return next(iter(call.arguments))


def _declare(
    name: str,
    opcode: str,
    doc: str,
    doc_zh: str,
    supported: Iterable[DType] = FLOATS,
    on_950: Iterable[DType] | None = None,
    makes: DType | None = None,
    widened: Iterable[DType] = (),
    precision: bool = False,
) -> None:
    """An operation that makes one `opcode`. `makes` is its result type where it differs from the operand's; operands of
    the `widened` types are computed in fp32 and cast back."""
    types, wide = dtypes(supported, on_950), frozenset(widened)

    def build(call: Call) -> Value:
        operand = check_operand(call, _first(call), types)
        attributes = {"precision_type": call.enumerator("precision_type")} if precision else None
        if operand.dtype not in wide:
            return result(call, like(call, opcode, operand, makes, attributes))
        computed = like(call, opcode, cast(call, operand, FP32), None, attributes)
        return result(call, cast(call, computed, operand.dtype))

    declare(
        Operation(
            f"pypto.{name}", "unary", build, doc, doc_zh,
            dtypes=types, opcodes=(opcode, *(("CAST",) if wide else ())), rules=("PT302", "PT312", "PT401", "PT405"),
        )
    )  # fmt: skip


_HALVES = (FP16, BF16)
_INTEGERS = (INT16, INT32)
_BITS = (INT8, UINT8, INT16, UINT16, INT32, UINT32)

_declare("exp", "EXP", "e to the power of each element.", "逐元素 e 的幂。", precision=True)
_declare("sqrt", "SQRT", "Square root.", "平方根。", precision=True)
_declare("reciprocal", "RECIPROCAL", "1 / x.", "倒数 1 / x。", precision=True)
_declare("abs", "ABS", "Absolute value.", "绝对值。", on_950=(*FLOATS, INT8, INT16, INT32))
_declare("relu", "RELU", "max(x, 0).", "max(x, 0)。", (*FLOATS, INT32, INT16))
_declare("tanh", "TANH", "Hyperbolic tangent.", "双曲正切。")
_declare("sin", "SIN", "Sine.", "正弦。", (FP16, FP32))
_declare("cos", "COS", "Cosine.", "余弦。", (FP16, FP32))
_declare("tan", "TAN", "Tangent.", "正切。", widened=_HALVES)
_declare("atan", "ATAN", "Arc tangent.", "反正切。", widened=_HALVES)
_declare("asin", "ASIN", "Arc sine.", "反正弦。")
_declare("acos", "ACOS", "Arc cosine.", "反余弦。")
_declare("sinh", "SINH", "Hyperbolic sine.", "双曲正弦。")
_declare("cosh", "COSH", "Hyperbolic cosine.", "双曲余弦。")
_declare("asinh", "ASINH", "Inverse hyperbolic sine.", "反双曲正弦。")
_declare("acosh", "ACOSH", "Inverse hyperbolic cosine.", "反双曲余弦。")
_declare("atanh", "ATANH", "Inverse hyperbolic tangent.", "反双曲正切。")
_declare("erf", "ERF", "Error function.", "误差函数。")
_declare("erfc", "ERFC", "1 - erf(x).", "1 - erf(x)。")
_declare("log1p", "LOG1P", "ln(1 + x).", "ln(1 + x)。", widened=_HALVES)
_declare("sign", "SIGN", "-1, 0 or 1 by the sign.", "按符号取 -1、0 或 1。", (*FLOATS, *_INTEGERS, INT8))
_declare(
    "signbit", "SIGNBIT", "Whether the sign bit is set.", "符号位是否为 1。", (*FLOATS, *_INTEGERS, INT8), makes=BOOL
)
_declare("ceil", "CEIL", "Round up.", "向上取整。", (*FLOATS, *_INTEGERS), widened=_HALVES)
_declare("floor", "FLOOR", "Round down.", "向下取整。", (*FLOATS, *_INTEGERS), widened=_HALVES)
_declare("trunc", "TRUNC", "Round towards zero.", "向零取整。", (*FLOATS, *_INTEGERS), widened=_HALVES)
_declare("isnan", "ISNAN", "Whether each element is NaN.", "是否为 NaN。", makes=BOOL)
_declare(
    "isfinite", "ISFINITE", "Whether each element is finite.", "是否为有限值。",
    (*FLOATS, *_BITS, BY_NAME["DT_INT4"], BY_NAME["DT_UINT64"], BY_NAME["DT_INT64"]), makes=BOOL,
)  # fmt: skip
_declare("logical_not", "LOGICALNOT", "Whether each element is zero.", "逻辑非。", (*FLOATS, *_BITS, BOOL), makes=BOOL)


def _bitwise_not(call: Call) -> Value:
    operand = check_operand(call, "self", _NEGATED)
    return result(call, like(call, "LOGICALNOT" if operand.dtype == BOOL else "BITWISENOT", operand))


_NEGATED = dtypes((*_BITS, BOOL))
declare(
    Operation(
        "pypto.bitwise_not", "unary", _bitwise_not, "Bitwise complement.", "按位取反。",
        dtypes=_NEGATED, opcodes=("BITWISENOT", "LOGICALNOT"), rules=("PT302", "PT312", "PT401", "PT405"),
    )
)  # fmt: skip
