"""`permute` (`vector/permute.cpp`) and `one_hot` (`vector/math.cpp`)."""

from __future__ import annotations

from ...diagnostics.rules import pt611_wrong_arguments
from ...dtype import BF16, BOOL, BY_NAME, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from ...evaluate.values import Value
from .. import api
from ..call import Call
from .primitives import check_operand, emit, result
from .registry import Operation, declare, dtypes

_INT64, _UINT64 = BY_NAME["DT_INT64"], BY_NAME["DT_UINT64"]
_PLAIN = (FP16, BF16, FP32, INT8, UINT8, INT16, UINT16, INT32, UINT32, _INT64, _UINT64, BOOL)
_PERMUTED = dtypes(_PLAIN, (*_PLAIN, *(BY_NAME[f"DT_{name}"] for name in ("HF8", "FP8E4M3", "FP8E5M2", "FP8E8M0"))))
_CLASSES = dtypes((INT8, INT16, INT32, _INT64))


def _permute(call: Call) -> Value:
    operand = check_operand(call, "input_tensor", _PERMUTED, (1, 5))
    given = call.integers("dims")
    order = tuple(axis + operand.rank if axis < 0 else axis for axis in given)
    if sorted(order) != list(range(operand.rank)):
        call.reject(
            pt611_wrong_arguments.RULE,
            call.place("dims"),
            call=call.name,
            problem=f"needs each of the {operand.rank} axes once, got {list(given)}",
            problem_zh=f"需要 {operand.rank} 个轴各一次，得到 {list(given)}",
            signature=str(api.signature(call.name)),
        )
    if order == tuple(range(operand.rank)):
        return call.value("input_tensor")
    opcode = "PERMUTE" if order[-1] == operand.rank - 1 else "PERMUTE_ELEMENT"
    shape, valid = (tuple(sizes[axis] for axis in order) for sizes in (operand.shape, operand.valid_shape))
    return result(call, emit(call, opcode, (operand,), shape, operand.dtype, valid, {"perm": order}))


def _one_hot(call: Call) -> Value:
    operand = check_operand(call, "input", _CLASSES, (1, 3))
    classes = call.integer("num_classes")
    shape, valid = (*operand.shape, classes), (*operand.valid_shape, classes)
    return result(call, emit(call, "ONEHOT", (operand,), shape, _INT64, valid, {"op_attr_numClasses": classes}))


declare(
    Operation(
        "pypto.permute", "permutation", _permute, "The axes in another order.", "重排各轴。",
        shape="that of the operand in the order of the axes", valid_shape="in the order of the axes",
        dtypes=_PERMUTED, ranks=(1, 5), opcodes=("PERMUTE", "PERMUTE_ELEMENT"),
        rules=("PT302", "PT312", "PT401", "PT611"),
    )
)  # fmt: skip
declare(
    Operation(
        "pypto.one_hot", "permutation", _one_hot, "One where the class is, zero elsewhere.", "独热编码。",
        shape="that of the operand and the number of classes", valid_shape="that of the operand and the classes",
        dtypes=_CLASSES, ranks=(1, 3), opcodes=("ONEHOT",), rules=("PT302", "PT312", "PT401"),
    )
)  # fmt: skip
