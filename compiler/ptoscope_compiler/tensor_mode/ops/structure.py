"""Views, assembly, reshapes and copies (`framework/src/interface/operation/operation_impl.cpp`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...diagnostics.diagnostic import Facts
from ...diagnostics.rules import (
    pt305_reshape_count,
    pt309_valid_shape_out_of_range,
    pt310_region_rank,
    pt312_dynamic_operand,
    pt313_region_out_of_bounds,
    pt402_mixed_dtypes,
    pt611_wrong_arguments,
)
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ...scalar import ScalarLike, add, known, text
from .. import api
from ..bounds import clipped
from ..call import Call
from ..errors import Undecided
from ..symbolic import wrap
from ..text import shape_text
from .primitives import emit, like, normalised_axis, reshaped, result
from .registry import Operation, declare


def viewed(
    call: Call,
    source: LogicalTensor,
    shape: Sequence[ScalarLike],
    offsets: Sequence[ScalarLike],
    valid_shape: Sequence[ScalarLike] | None = None,
) -> LogicalTensor:
    """Record a VIEW."""
    valid = clipped(call.tracer.bounds, source.valid_shape, offsets, shape) if valid_shape is None else valid_shape
    attributes = {"offset": tuple(offsets)}
    view = emit(call, "VIEW", (source,), shape, source.dtype, valid, attributes, source.raw.format)
    view.raw.name = f"View_{source.raw.name}" if source.raw.name else ""
    return view


def assembled(
    call: Call,
    source: LogicalTensor,
    destination: LogicalTensor,
    offsets: Sequence[ScalarLike],
    parallel: bool,
    opcode: str = "ASSEMBLE",
) -> None:
    """Record the writing of `source` into a region of `destination`."""
    attributes = {"offset": tuple(offsets), "dassemble": True, "parallel": parallel}
    call.tracer.emit(opcode, (source,), destination, call.origin, attributes)


def _view(call: Call) -> Value:
    source = call.read("input")
    if call.value("dtype") is not None:
        return _view_as(call, source)
    if call.value("shape") is None or call.value("offsets") is None:
        _wrong(call, "needs a shape and offsets, or a dtype", "需要 shape 与 offsets，或 dtype")
    shape, offsets = call.integers("shape"), call.scalars("offsets")
    _check_rank(call, source, "shape", shape)
    _check_rank(call, source, "offsets", offsets)
    for axis, (size, offset, limit) in enumerate(zip(shape, offsets, source.shape, strict=False)):
        if known(offset) and (offset < 0 or (known(limit) and offset >= limit > 0)):  # type: ignore[operator]
            _out_of_bounds(call, axis, offset, size, limit, "offsets")
    if call.value("valid_shape") is None:
        return result(call, viewed(call, source, shape, offsets))
    valid = call.scalars("valid_shape")
    _check_rank(call, source, "valid_shape", valid)
    _check_valid_shape(call, valid, shape, source.shape)
    return result(call, viewed(call, source, shape, offsets, valid))


def _check_valid_shape(
    call: Call, valid: Sequence[ScalarLike], shape: Sequence[ScalarLike], limits: Sequence[ScalarLike]
) -> None:
    for axis, (extent, size, limit) in enumerate(zip(valid, shape, limits, strict=False)):
        if not known(extent):
            continue
        for most in (size, limit):
            if known(most) and not 0 <= extent <= most:  # type: ignore[operator]
                call.reject(
                    pt309_valid_shape_out_of_range.RULE,
                    call.place("valid_shape"),
                    axis=axis,
                    valid=text(extent),
                    limit=text(most),
                )


def _view_as(call: Call, source: LogicalTensor) -> Value:
    dtype = call.dtype("dtype")
    last = source.shape[-1]
    if not isinstance(last, int):
        raise Undecided
    if last * source.dtype.bits % dtype.bits:
        _wrong(call, f"cannot see the last axis of {shape_text(source.shape)} {source.dtype} as {dtype}",
               f"不能把 {shape_text(source.shape)} {source.dtype} 的尾轴视为 {dtype}")  # fmt: skip
    size = last * source.dtype.bits // dtype.bits
    shape = (*source.shape[:-1], size)
    valid = (*source.valid_shape[:-1], size)
    return result(call, emit(call, "VIEW_TYPE", (source,), shape, dtype, valid, None, source.raw.format))


def _assemble(call: Call) -> Value:
    parallel = call.boolean("parallel")
    arguments = call.value("args")
    if len(arguments) == 3:
        source, offsets, target = arguments
        _assemble_one(call, source, offsets, target, parallel)
    elif len(arguments) == 2 and isinstance(arguments[0], (list, tuple)):
        for source, offsets in arguments[0]:
            _assemble_one(call, source, offsets, arguments[1], parallel)
    else:
        _wrong(call, "takes (src, offsets, dst) or ([(src, offsets), ...], dst)",
               "接受 (src, offsets, dst) 或 ([(src, offsets), ...], dst)")  # fmt: skip
    return None


def _assemble_one(call: Call, source: Value, offsets: Value, destination: Value, parallel: bool) -> None:
    call.arguments = {"src": source, "offsets": offsets, "dst": destination, "parallel": parallel}
    call.given = frozenset(call.arguments)
    value, target, places = call.read("src"), call.read("dst"), call.scalars("offsets")
    _check_region(call, value, target, places)
    assembled(call, value, target, places, parallel)


def _check_region(call: Call, value: LogicalTensor, target: LogicalTensor, offsets: Sequence[ScalarLike]) -> None:
    _check_rank(call, target, "offsets", offsets)
    _check_rank(call, target, "src", value.shape)
    if value.dtype != target.dtype:
        call.reject(
            pt402_mixed_dtypes.RULE,
            facts=Facts(operation=call.operation, buffer=target.raw.name or None),
            operation=call.operation,
            left=target.dtype,
            right=value.dtype,
        )
    for axis, (offset, size, extent, limit) in enumerate(
        zip(offsets, value.shape, value.valid_shape, target.shape, strict=False)
    ):
        if not known(size):
            rule = pt312_dynamic_operand.RULE
            call.reject(rule, call.place("src"), operation=call.operation, axis=axis, size=text(size))
        if known(offset) and known(limit) and known(extent):
            assert isinstance(limit, int)
            if offset < 0 or add(offset, extent) > limit > 0:  # type: ignore[operator]
                _out_of_bounds(call, axis, offset, extent, limit, "offsets")


def _out_of_bounds(
    call: Call, axis: int, offset: ScalarLike, size: ScalarLike, limit: ScalarLike, parameter: str
) -> None:
    call.reject(
        pt313_region_out_of_bounds.RULE,
        call.place(parameter) if call.operation == "view" else None,
        operation=call.operation,
        axis=axis,
        offset=text(offset),
        size=text(size),
        limit=text(limit),
    )


def _check_rank(call: Call, tensor: LogicalTensor, parameter: str, entries: Sequence[ScalarLike]) -> None:
    if len(entries) != tensor.rank:
        call.reject(
            pt310_region_rank.RULE,
            operation=call.operation,
            what=parameter,
            count=len(entries),
            rank=tensor.rank,
            shape=shape_text(tensor.shape),
        )


def _wrong(call: Call, problem: str, problem_zh: str) -> None:
    signature = str(api.signature(call.name))
    rule = pt611_wrong_arguments.RULE
    call.reject(rule, call=call.name, problem=problem, problem_zh=problem_zh, signature=signature)


def _atomic_add(call: Call) -> Value:
    value, target, offsets = call.read("src"), call.read("dst"), call.scalars("offsets")
    _check_region(call, value, target, offsets)
    attributes = {"offset": tuple(offsets), "op_attr_rmw_mode": 0}
    call.tracer.emit("ATOMIC_RMW", (value,), target, call.origin, attributes)
    return None


def _reshape(call: Call) -> Value:
    source = call.read("input")
    if call.boolean("inplace") and call.value("valid_shape") is None:
        return _reshape_in_place(call, source)
    shape = _inferred_shape(call, source, call.integers("shape"))
    valid = call.scalars("valid_shape") if call.value("valid_shape") is not None else shape
    if _needs_copy(call, source) and not _is_batch_pattern(source.shape, shape):
        source = like(call, "REGISTER_COPY", source)
    return result(call, reshaped(call, source, shape, valid))


def _reshape_in_place(call: Call, source: LogicalTensor) -> Value:
    shape = call.scalars("shape")
    attributes = {"reshape": tuple(shape), "op_attr_isInplace": True}
    return result(call, emit(call, "RESHAPE", (source,), shape, source.dtype, shape, attributes, source.raw.format))


def _inferred_shape(call: Call, source: LogicalTensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    if not all(isinstance(size, int) for size in source.shape):
        axis = next(at for at, size in enumerate(source.shape) if not isinstance(size, int))
        rule = pt312_dynamic_operand.RULE
        call.reject(rule, call.place("input"), operation="reshape", axis=axis, size=text(source.shape[axis]))
    count = math.prod(size for size in source.shape if isinstance(size, int))
    given = math.prod(size for size in shape if size != -1)
    if shape.count(-1) == 1 and given > 0 and count % given == 0:
        return tuple(count // given if size == -1 else size for size in shape)
    if given != count or -1 in shape:
        call.reject(
            pt305_reshape_count.RULE,
            facts=Facts(operation="reshape", elements=count),
            shape=shape_text(source.shape),
            count=count,
            target=shape_text(shape),
            target_count=given,
        )
    return shape


def _needs_copy(call: Call, source: LogicalTensor) -> bool:
    """Whether a reshape must materialise its operand: a window of another tensor is not contiguous."""
    if source.shape != source.raw.shape:
        return True
    operation = call.tracer.producers.get(source.id)
    while operation is not None and operation.opcode == "VIEW":
        if operation.inputs[0].shape != operation.outputs[0].shape:
            return True
        operation = call.tracer.producers.get(operation.inputs[0].id)
    return False


def _is_batch_pattern(shape: Sequence[ScalarLike], target: Sequence[ScalarLike]) -> bool:
    """Reshapes that only drop or add leading axes of size 1, as batches of matrix products need, or that flatten all
    but the first axis into the last."""
    longer, shorter = (shape, target) if len(shape) > len(target) else (target, shape)
    dropped = len(longer) - len(shorter)
    pairs = {(3, 2), (4, 2), (4, 3), (5, 3)}
    ones_only = all(size == 1 for size in longer[:dropped])
    if (len(longer), len(shorter)) in pairs and ones_only and tuple(longer[dropped:]) == tuple(shorter):
        return True
    tail = [size for size in shape[1:] if isinstance(size, int)]
    return len(shape) == len(target) + 1 and len(tail) == len(shape) - 1 and math.prod(tail) == target[-1]


def _clone(call: Call) -> Value:
    source = call.read("input")
    return result(call, like(call, "REGISTER_COPY", source))


def _unsqueeze(call: Call) -> Value:
    source = call.read("input")
    axis = normalised_axis(call, "dim", source, extra=1)
    shape = (*source.shape[:axis], 1, *source.shape[axis:])
    call.arguments = {
        "input": call.value("input"),
        "shape": [wrap(size) for size in shape],
        "valid_shape": [wrap(size) for size in (*source.valid_shape[:axis], 1, *source.valid_shape[axis:])],
        "inplace": False,
    }
    return _reshape(call)


for _name, _build, _doc, _doc_zh, _shape, _opcodes, _rules in (
    (
        "view", _view, "A window of a tensor, without a copy.", "张量的一个窗口，不复制。", "`shape`",
        ("VIEW", "VIEW_TYPE"), ("PT309", "PT310", "PT313"),
    ),
    (
        "assemble", _assemble, "Write a tensor into a region of another.", "把张量写入另一张量的区域。", "none",
        ("ASSEMBLE",), ("PT310", "PT313", "PT402"),
    ),
    (
        "atomic_add", _atomic_add, "Add a tensor to a region of another.", "把张量累加到另一张量的区域。", "none",
        ("ATOMIC_RMW",), ("PT310", "PT313", "PT402"),
    ),
    (
        "reshape", _reshape, "The same elements in another shape.", "以另一形状排列相同的元素。",
        "`shape`, one -1 inferred",
        ("RESHAPE", "REGISTER_COPY"), ("PT305", "PT312"),
    ),
    ("clone", _clone, "A copy.", "复制。", "that of the operand", ("REGISTER_COPY",), ()),
    (
        "unsqueeze", _unsqueeze, "Add an axis of size 1.", "增加大小为 1 的轴。",
        "that of the operand with an axis of 1",
        ("RESHAPE", "REGISTER_COPY"), ("PT311",),
    ),
):  # fmt: skip
    declare(
        Operation(
            f"pypto.{_name}", "structure", _build, _doc, _doc_zh,
            shape=_shape, valid_shape="`valid_shape`, else what lies within the source",
            ranks=(1, 5), opcodes=_opcodes, rules=_rules,
        )
    )  # fmt: skip
