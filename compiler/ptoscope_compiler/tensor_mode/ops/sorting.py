"""`topk` (`vector/sort.cpp`)."""

from __future__ import annotations

from ...diagnostics.rules import pt311_axis_out_of_range, pt611_wrong_arguments
from ...dtype import BF16, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from ...evaluate.values import Value
from .. import api
from ..call import Call
from ..text import shape_text
from .primitives import check_operand, check_target, normalised_axis, result
from .registry import Operation, declare, dtypes

_MERGED = dtypes((FP32,))
_SELECTED = dtypes((BF16, FP16, FP32, UINT8, INT8, UINT16, INT16, UINT32, INT32))
_RADIX_SELECT = 1


def _topk(call: Call) -> Value:
    algorithm = call.enumerator("algo")
    if algorithm == _RADIX_SELECT:
        check_target(call, {"3510": "950"})
    operand = check_operand(call, "input", _SELECTED if algorithm == _RADIX_SELECT else _MERGED)
    axis = operand.rank - 1 if call.value("dim") is None else normalised_axis(call, "dim", operand)
    if axis != operand.rank - 1:
        call.reject(
            pt311_axis_out_of_range.RULE,
            call.place("dim"),
            operation=call.operation,
            axis=axis,
            rank=operand.rank,
            shape=shape_text(operand.shape),
            least=-1,
            most=operand.rank - 1,
        )
    count = _count(call)
    shape, valid = (*operand.shape[:-1], count), (*operand.valid_shape[:-1], count)
    values, indices = call.tracer.new(shape, operand.dtype, valid), call.tracer.new(shape, INT32, valid)
    attributes = {
        "op_attr_axis": axis,
        "op_attr_kvalue": count,
        "op_attr_order": int(call.boolean("largest")),
        "topk_algo": algorithm,
    }
    call.tracer.emit("TOPK", (operand,), (values, indices), call.origin, attributes)
    return result(call, values), result(call, indices)


def _count(call: Call) -> int:
    count = call.integer("k")
    if count <= 0:
        call.reject(
            pt611_wrong_arguments.RULE,
            call.place("k"),
            call=call.name,
            problem=f"needs a positive 'k', got {count}",
            problem_zh=f"需要正的 'k'，得到 {count}",
            signature=str(api.signature(call.name)),
        )
    return count


declare(
    Operation(
        "pypto.topk", "sorting", _topk, "The k largest of the last axis, and their indices.",
        "尾轴最大的 k 个值及其下标。",
        shape="that of the operand with the last axis k, twice", dtypes=_SELECTED, opcodes=("TOPK",),
        rules=("PT302", "PT311", "PT312", "PT401", "PT405", "PT406", "PT611"),
    )
)  # fmt: skip
