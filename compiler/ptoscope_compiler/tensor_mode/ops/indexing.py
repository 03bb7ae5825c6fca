"""Gathering and scattering (`vector/indexing.cpp`)."""

from __future__ import annotations

from ...diagnostics.rules import pt301_shapes_do_not_broadcast
from ...dtype import BF16, BY_NAME, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ..call import Call
from ..errors import Undecided
from ..moving import move
from ..text import shape_text
from .primitives import as_element, cast, check_operand, check_same_dtype, emit, normalised_axis, result
from .registry import Operation, declare, dtypes

_INDICES = dtypes((INT32, BY_NAME["DT_INT64"]))
_GATHERED = dtypes((FP32, FP16, BF16, INT32, UINT32, INT16, UINT16))
_SCATTERED = dtypes((FP32, FP16, BF16, INT8, UINT8, INT16, INT32))
_SELECTED = dtypes((BF16, FP16, FP32, INT16, INT32, INT8, UINT16, UINT32, UINT8))
_REDUCTIONS = {None: 0, "add": 1, "multiply": 2}
_RINT = 1


def _check_index(call: Call, operand: LogicalTensor, index: LogicalTensor, axis: int, everywhere: bool = False) -> None:
    """The index must have the rank of the operand and be no larger on any other axis."""
    if operand.rank != index.rank:
        _misfit(call, operand, index, 0)
    for at, (size, limit) in enumerate(zip(index.shape, operand.shape, strict=False)):
        if (at != axis or everywhere) and isinstance(size, int) and isinstance(limit, int) and size > limit:
            _misfit(call, operand, index, at)


def _misfit(call: Call, operand: LogicalTensor, index: LogicalTensor, axis: int) -> None:
    call.reject(
        pt301_shapes_do_not_broadcast.RULE,
        operation=call.operation,
        left=shape_text(operand.shape),
        right=shape_text(index.shape),
        axis=axis,
        left_size=operand.shape[axis] if axis < operand.rank else "missing",
        right_size=index.shape[axis] if axis < index.rank else "missing",
    )


def _gather(call: Call) -> Value:
    operand = check_operand(call, "input", _GATHERED, (1, 5))
    index = check_operand(call, "index", _INDICES, (1, 5))
    axis = normalised_axis(call, "dim", operand)
    _check_index(call, operand, index, axis)
    attributes = {"op_attr_axis": axis}
    return result(
        call,
        emit(call, "GATHER_ELEMENT", (operand, index), index.shape, operand.dtype, index.valid_shape, attributes),
    )


def _index_select(call: Call) -> Value:
    operand = check_operand(call, "input", _SELECTED, (1, 4))
    index = check_operand(call, "index", _INDICES, (1, 2))
    axis = normalised_axis(call, "dim", operand)
    shape = (*operand.shape[:axis], *index.shape, *operand.shape[axis + 1 :])
    valid = (*operand.valid_shape[:axis], *index.valid_shape, *operand.valid_shape[axis + 1 :])
    return result(call, emit(call, "GATHER", (operand, index), shape, operand.dtype, valid, {"op_attr_axis": axis}))


def _scattered(call: Call) -> LogicalTensor:
    operand = check_operand(call, "input", _SCATTERED)
    index = check_operand(call, "index", _INDICES)
    axis = normalised_axis(call, "dim", operand)
    reduction = call.value("reduce")
    if reduction not in _REDUCTIONS:
        call.wrong_type("reduce", "None, 'add' or 'multiply'", "None、'add' 或 'multiply'")
    _check_index(call, operand, index, axis)
    mode = _REDUCTIONS[reduction]
    wide = mode != 0 and operand.dtype in (FP16, BF16)
    target = cast(call, operand, FP32) if wide else operand
    attributes = {"op_attr_axis": axis, "op_attr_scatter_mode": mode, "INPLACE_INFO": {0: 0}}
    if call.is_tensor("src"):
        source = check_operand(call, "src", None)
        check_same_dtype(call, operand, source, "src")
        _check_index(call, source, index, axis, everywhere=True)
        inputs = (target, index, cast(call, source, FP32) if wide else source)
        value = emit(call, "SCATTER", inputs, target.shape, target.dtype, target.valid_shape, attributes)
    else:
        constant = as_element(float(call.number("src")), operand.dtype)
        attributes["SCALAR"] = constant
        value = emit(
            call, "SCATTER_ELEMENT", (target, index), target.shape, target.dtype, target.valid_shape, attributes
        )
    return cast(call, value, operand.dtype, _RINT) if wide else value


def _scatter(call: Call) -> Value:
    return result(call, _scattered(call))


def _scatter_in_place(call: Call) -> Value:
    target = call.tensor("input")
    move(target, result(call, _scattered(call)), call.site)
    return target


def _scatter_update(call: Call) -> Value:
    target = call.read("input")
    index = check_operand(call, "index", dtypes((INT16, INT32, BY_NAME["DT_INT64"])), (2, 2))
    source = check_operand(call, "src", None, (2, 4))
    if call.integer("dim") != -2:
        call.wrong_type("dim", "-2", "-2")
    if target.rank not in (2, 4) or source.rank != target.rank:
        _misfit(call, target, source, 0)
    chunk = target.shape[1] if target.rank == 4 else 1
    if not isinstance(chunk, int):
        raise Undecided
    attributes = {"axis": target.rank - 2, "op_attr_panzBlockSize": chunk, "op_attr_cacheMode": "PA_BSND"}
    return result(
        call,
        emit(
            call, "INDEX_OUTCAST", (source, index, target), target.shape, target.dtype, target.valid_shape, attributes
        ),
    )


_RULES = ("PT301", "PT302", "PT311", "PT312", "PT401")
for _name, _build, _doc, _doc_zh, _shape, _types, _opcodes in (
    (
        "gather", _gather, "Elements by index along an axis.", "沿轴按下标取元素。", "that of the index", _GATHERED,
        ("GATHER_ELEMENT",),
    ),
    (
        "index_select", _index_select, "Slices by index along an axis.", "沿轴按下标取切片。",
        "the axis replaced by the shape of the index", _SELECTED, ("GATHER",),
    ),
    (
        "scatter", _scatter, "A copy with elements written by index.", "按下标写入元素后的新张量。",
        "that of the input", _SCATTERED, ("SCATTER", "SCATTER_ELEMENT", "CAST"),
    ),
    (
        "scatter_", _scatter_in_place, "Write elements by index, in place.", "按下标原地写入元素。",
        "that of the input", _SCATTERED, ("SCATTER", "SCATTER_ELEMENT", "CAST"),
    ),
    (
        "scatter_update", _scatter_update, "Write rows by index.", "按下标更新行。", "that of the input", None,
        ("INDEX_OUTCAST",),
    ),
):  # fmt: skip
    declare(
        Operation(
            f"pypto.{_name}", "indexing", _build, _doc, _doc_zh,
            shape=_shape, dtypes=_types, ranks=(1, 5), opcodes=_opcodes, rules=_RULES,
        )
    )  # fmt: skip
