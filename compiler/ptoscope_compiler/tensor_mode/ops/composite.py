"""Operations that the official package writes in Python over others (`python/pypto/operator.py`, `op/math.py`)."""

from __future__ import annotations

from ...dtype import BF16, FP16, FP32, INT8, INT16, INT32, UINT8
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ..call import Call
from .binary import combine, with_scalar
from .mathematics import divide, power
from .primitives import (
    FLOATS,
    HIGH_PRECISION,
    INTRINSIC,
    cast,
    check_operand,
    filled,
    like,
    normalised_axis,
    reshaped,
    result,
)
from .reduction import reduced
from .registry import Operation, declare, dtypes

_KIRIN = ("3003", "3113")
_RULES = ("PT302", "PT312", "PT401")


def _exponential(call: Call, operand: LogicalTensor) -> LogicalTensor:
    return like(call, "EXP", operand, attributes={"precision_type": INTRINSIC})


def _to_fp32(call: Call, operand: LogicalTensor) -> LogicalTensor:
    return operand if operand.dtype == FP32 else cast(call, operand, FP32)


def _back(call: Call, value: LogicalTensor, operand: LogicalTensor) -> Value:
    return result(call, value if value.dtype == operand.dtype else cast(call, value, operand.dtype))


def _sigmoid(call: Call) -> Value:
    operand = check_operand(call, "input", dtypes(FLOATS))
    source = operand if call.tracer.target.arch in _KIRIN else _to_fp32(call, operand)
    denominator = with_scalar(call, "ADDS", _exponential(call, with_scalar(call, "MULS", source, -1.0)), 1.0)
    ones = filled(call, denominator.shape, source.dtype, 1.0, denominator.valid_shape)
    return _back(call, divide(call, ones, denominator, INTRINSIC), operand)


def _softmax(call: Call) -> Value:
    operand = check_operand(call, "input", dtypes(FLOATS))
    axis = normalised_axis(call, "dim", operand)
    source = _to_fp32(call, operand)
    largest = reduced(call, "ROWMAX_SINGLE", source, axis)
    exponentials = _exponential(call, combine(call, "SUB", source, largest))
    total = reduced(call, "ROWSUM_SINGLE", exponentials, axis)
    return _back(call, divide(call, exponentials, total, INTRINSIC), operand)


def _rms_norm(call: Call) -> Value:
    operand = check_operand(call, "input", dtypes(FLOATS))
    source = _to_fp32(call, operand)
    count = source.shape[-1]
    assert isinstance(count, int)
    squares = with_scalar(call, "MULS", combine(call, "MUL", source, source), 1.0 / count)
    total = reduced(call, "ROWSUM_SINGLE", squares, source.rank - 1)
    shifted = with_scalar(call, "ADDS", total, float(call.number("epsilon")))
    root = like(call, "SQRT", shifted, attributes={"precision_type": INTRINSIC})
    ones = filled(call, root.shape, FP32, 1.0)
    value = divide(call, combine(call, "MUL", source, ones), root, INTRINSIC)
    if call.value("gamma") is not None:
        gamma = check_operand(call, "gamma", dtypes(FLOATS), (1, 1))
        shape = (*(1,) * (operand.rank - 1), gamma.shape[0])
        value = combine(call, "MUL", value, _to_fp32(call, reshaped(call, gamma, shape)))
    return _back(call, value, operand)


def _exp2(call: Call) -> Value:
    types = dtypes((*FLOATS, INT8, UINT8, INT16, INT32))
    operand = check_operand(call, "input", types)
    if operand.dtype in (INT8, UINT8):
        operand = cast(call, operand, FP16)
    if operand.dtype not in (FP16, BF16):
        operand = _to_fp32(call, operand)
    elif call.read("input").dtype in (INT8, UINT8):
        operand = cast(call, operand, FP32)
    base = filled(call, operand.shape, operand.dtype, 2.0, operand.valid_shape)
    return result(call, power(call, base, operand, HIGH_PRECISION))


for _name, _build, _doc, _doc_zh, _types, _opcodes in (
    (
        "sigmoid", _sigmoid, "1 / (1 + exp(-x)).", "1 / (1 + exp(-x))。", dtypes(FLOATS),
        ("CAST", "MULS", "EXP", "ADDS", "VEC_DUP", "DIV"),
    ),
    (
        "softmax", _softmax, "Softmax over an axis.", "沿轴的 softmax。", dtypes(FLOATS),
        ("CAST", "ROWMAX_SINGLE", "SUB", "EXP", "ROWSUM_SINGLE", "DIV"),
    ),
    (
        "rms_norm", _rms_norm, "Root-mean-square normalisation of the last axis.", "尾轴的均方根归一化。",
        dtypes(FLOATS), ("CAST", "MUL", "MULS", "ROWSUM_SINGLE", "ADDS", "SQRT", "VEC_DUP", "DIV"),
    ),
    (
        "exp2", _exp2, "2 to the power of each element.", "逐元素 2 的幂。",
        dtypes((*FLOATS, INT8, UINT8, INT16, INT32)), ("VEC_DUP", "POW", "CAST"),
    ),
):  # fmt: skip
    declare(
        Operation(f"pypto.{_name}", "composite", _build, _doc, _doc_zh, dtypes=_types, opcodes=_opcodes, rules=_RULES)
    )
