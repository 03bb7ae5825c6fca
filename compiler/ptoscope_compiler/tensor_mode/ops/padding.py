"""`pad` and `fillpad` (`vector/pad.cpp`)."""

from __future__ import annotations

from typing import NoReturn

from ...diagnostics.rules import pt611_wrong_arguments
from ...dtype import BF16, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from ...evaluate.values import Value
from ...scalar import add
from .. import api
from ..call import Call
from .primitives import check_operand, check_scalar, emit, result
from .registry import Operation, declare, dtypes

_TYPES = dtypes((FP32, FP16, BF16, INT8, INT16, INT32, UINT8, UINT16, UINT32))
_RULES = ("PT302", "PT312", "PT401", "PT403", "PT405", "PT611")


def _wrong(call: Call, parameter: str, problem: str, problem_zh: str) -> NoReturn:
    rule, signature = pt611_wrong_arguments.RULE, str(api.signature(call.name))
    call.reject(
        rule, call.place(parameter), call=call.name, problem=problem, problem_zh=problem_zh, signature=signature
    )


def _check_mode(call: Call) -> None:
    if call.value("mode") != "constant":
        _wrong(call, "mode", "knows the mode 'constant' only", "仅支持 'constant' 模式")


def _pad(call: Call) -> Value:
    _check_mode(call)
    operand = check_operand(call, "x", _TYPES)
    padding = call.integers("padding")
    axes = min(operand.rank, 2)
    if len(padding) != 2 * axes or any(padding[::2]) or min(padding) < 0:
        _wrong(
            call,
            "padding",
            f"needs {2 * axes} sizes (0, right{', 0, bottom' * (axes - 1)}), got {list(padding)}",
            f"需要 {2 * axes} 个尺寸 (0, 右{', 0, 下' * (axes - 1)})，得到 {list(padding)}",
        )
    right, bottom = padding[1], padding[3] if axes == 2 else 0
    grown = (*(0,) * (operand.rank - axes), *(bottom, right)[-axes:])
    shape = tuple(add(size, more) for size, more in zip(operand.shape, grown, strict=True))
    valid = tuple(add(size, more) for size, more in zip(operand.valid_shape, grown, strict=True))
    attributes = {
        "op_attr_pad_right": right,
        "op_attr_pad_bottom": bottom,
        "SCALAR": check_scalar(call, "value", operand.dtype),
    }
    return result(call, emit(call, "PAD", (operand,), shape, operand.dtype, valid, attributes))


def _fillpad(call: Call) -> Value:
    _check_mode(call)
    operand = check_operand(call, "x", _TYPES, (1, 2))
    attributes = {"SCALAR": check_scalar(call, "value", operand.dtype)}
    return result(call, emit(call, "FILLPAD", (operand,), operand.shape, operand.dtype, operand.shape, attributes))


declare(
    Operation(
        "pypto.pad", "padding", _pad, "Add a border of a constant to the right and below.", "在右侧与下方补常数边。",
        shape="that of the operand with the padding", valid_shape="that of the operand with the padding",
        dtypes=_TYPES, opcodes=("PAD",), rules=_RULES,
    )
)  # fmt: skip
declare(
    Operation(
        "pypto.fillpad", "padding", _fillpad, "Fill what lies beyond the valid shape.", "填充有效形状以外的部分。",
        valid_shape="the shape", dtypes=_TYPES, ranks=(1, 2), opcodes=("FILLPAD",), rules=_RULES,
    )
)  # fmt: skip
