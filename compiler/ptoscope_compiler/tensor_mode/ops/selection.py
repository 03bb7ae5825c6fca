"""`where`, `pad` and `expand_clone` (`vector/{where,pad,tensor_transformation}.cpp`)."""

from __future__ import annotations

from ...diagnostics.rules import pt301_shapes_do_not_broadcast, pt402_mixed_dtypes
from ...dtype import BF16, BOOL, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, DType
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ...scalar import ScalarLike
from ..call import Call
from ..element import Element
from ..text import shape_text
from .primitives import broadcast_shape, check_operand, emit, like, match_ranks, result
from .registry import Operation, declare, dtypes

_TYPES = dtypes((INT32, INT16, FP16, FP32, BF16), (INT32, FP32, INT16, FP16, BF16, UINT8, INT8))
_EXPANDED = dtypes((BF16, FP32, FP16, INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL))


def _where(call: Call) -> Value:
    condition = check_operand(call, "condition", dtypes((BOOL,)))
    operands: list[LogicalTensor] = []
    constants: list[int | float] = []
    types: list[DType] = []
    kinds = ""
    for parameter in ("input", "other"):
        if call.is_tensor(parameter):
            operands.append(check_operand(call, parameter, _TYPES))
            types.append(operands[-1].dtype)
            kinds += "T"
        else:
            value = call.value(parameter)
            types.append(value.dtype if isinstance(value, Element) else FP32)
            constants.append(call.number(parameter))
            kinds += "S"
    if types[0] != types[1]:
        call.reject(pt402_mixed_dtypes.RULE, operation="where", left=types[0], right=types[1])
    tensors = match_ranks(call, condition, *operands)
    shape, valid = _common_shape(call, tensors)
    attributes = (
        {} if not constants else {"SCALAR": constants[0]} if len(constants) == 1 else {"SCALARS": tuple(constants)}
    )
    return result(call, emit(call, f"WHERE_{kinds}", tensors, shape, types[0], valid, attributes))


def _common_shape(call: Call, tensors: list[LogicalTensor]) -> tuple[tuple[ScalarLike, ...], tuple[ScalarLike, ...]]:
    shape, valid = tensors[0].shape, tensors[0].valid_shape
    for tensor in tensors[1:]:
        so_far = call.tracer.new(shape, tensor.dtype, valid)
        new_shape, new_valid = broadcast_shape(call, so_far, tensor)
        shape, valid = new_shape, tuple(new_valid)
    return shape, valid


def _expand_clone(call: Call) -> Value:
    operand = check_operand(call, "input", _EXPANDED)
    shape = call.integers("shape")
    if len(shape) != operand.rank or any(a not in (b, 1) for a, b in zip(operand.shape, shape, strict=False)):
        axis = next((at for at, (a, b) in enumerate(zip(operand.shape, shape, strict=False)) if a not in (b, 1)), 0)
        call.reject(
            pt301_shapes_do_not_broadcast.RULE,
            operation="expand_clone",
            left=shape_text(operand.shape),
            right=shape_text(shape),
            axis=axis,
            left_size=operand.shape[axis],
            right_size=shape[axis] if axis < len(shape) else "missing",
        )
    valid = call.scalars("valid_shape") if call.value("valid_shape") else shape
    if shape == operand.shape:
        copy = like(call, "REGISTER_COPY", operand)
        copy.valid_shape = tuple(valid)
        return result(call, copy)
    attributes = {"op_attr_shape": shape, "op_attr_validShape": tuple(valid)}
    return result(call, emit(call, "EXPAND", (operand,), shape, operand.dtype, valid, attributes))


declare(
    Operation(
        "pypto.where", "selection", _where, "Choose by a condition.", "按条件选择。",
        shape="the broadcast of all operands", dtypes=_TYPES,
        opcodes=("WHERE_TT", "WHERE_TS", "WHERE_ST", "WHERE_SS", "RESHAPE"), rules=("PT301", "PT401", "PT402"),
    )
)  # fmt: skip
declare(
    Operation(
        "pypto.expand_clone", "selection", _expand_clone, "Repeat axes of size 1.", "扩展大小为 1 的轴。",
        shape="`shape`", valid_shape="`valid_shape`, else the shape", dtypes=_EXPANDED,
        opcodes=("EXPAND", "REGISTER_COPY"), rules=("PT301", "PT401"),
    )
)  # fmt: skip
