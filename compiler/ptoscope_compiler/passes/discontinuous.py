"""Tensors that are assembled in place from parts that do not lie in them as they should get copies of the parts.

Source: `framework/src/passes/pass_utils/infer_discontinuous_input_utils.cpp` of hicann/pypto.
"""

from __future__ import annotations

from math import prod

from ..hardware import MemorySpace
from ..ir.graph import LogicalTensor, Operation
from .edit import Edit
from .moves import is_assemble, is_view, offset_of
from .windows import static_shape

GM, UB = MemorySpace.GM, MemorySpace.UB
_IN_PLACE = frozenset({"VIEW", "SLICE", "ASSEMBLE", "CONTRACT", "RESHAPE"})


def separate_parts(edit: Edit, slices: bool, through_views: bool = True) -> None:
    """Insert the copies; `through_views` also copies parts that are views of an input of the graph."""
    conflicts = [pair for tensor in _written(edit) for pair in _conflicts(edit, tensor, through_views)]
    handled = _load_views_of_gm(edit, slices)
    for part, writer in conflicts:
        if (part.id, writer.id) not in handled:
            handled.add((part.id, writer.id))
            _copy(edit, part, writer, slices)


def _written(edit: Edit) -> list[LogicalTensor]:
    return list({tensor.id: tensor for operation in edit for tensor in operation.outputs}.values())


def _conflicts(edit: Edit, tensor: LogicalTensor, through_views: bool) -> list[tuple[LogicalTensor, Operation]]:
    """The parts of `tensor` that need copies: all of several ASSEMBLEs within one memory, or none."""
    if edit.writers(tensor) < 2:
        return []
    writers = [writer for writer in edit.producers(tensor) if writer.opcode in _IN_PLACE]
    if len(writers) < 2 or not all(is_assemble(writer) for writer in writers):
        return []
    parts = [writer.inputs[0] for writer in writers]
    if any(part.memory is not tensor.memory for part in parts):
        return []
    if _lie_as_they_should(parts, writers) and not (through_views and _views_of_outside(edit, parts)):
        return []
    return list(zip(parts, writers, strict=True))


def _lie_as_they_should(parts: list[LogicalTensor], writers: list[Operation]) -> bool:
    """Whether each storage is shifted as a whole, and all of it is used."""
    shifts: dict[int, tuple[object, ...]] = {}
    sizes: dict[int, int] = {}
    used: dict[int, int] = {}
    for part, writer in zip(parts, writers, strict=True):
        whole, shape = static_shape(part.raw.shape), static_shape(part.shape)
        start, target = static_shape(part.offset), offset_of(writer)
        if whole is None or shape is None or start is None:
            return False
        if any(not isinstance(at, int) for at in target):
            shift: tuple[object, ...] = (*target, *start)
        else:
            shift = tuple(at - own for at, own in zip(target, start, strict=True))  # type: ignore[operator]
        if shifts.setdefault(part.raw.id, shift) != shift:
            return False
        sizes[part.raw.id] = prod(whole)
        used[part.raw.id] = used.get(part.raw.id, 0) + prod(shape)
    return sizes == used


def _views_of_outside(edit: Edit, parts: list[LogicalTensor]) -> bool:
    """Whether a part is a view of the graph's own input or output, or of a place known only at run time."""
    for part in parts:
        for writer in edit.producers(part):
            if is_view(writer):
                source = writer.inputs[0]
                known = static_shape(offset_of(writer)) and static_shape(writer.outputs[0].valid_shape)
                if known is None or edit.is_input(source) or edit.is_output(source):
                    return True
    return False


def _load_views_of_gm(edit: Edit, slices: bool) -> set[tuple[int, int]]:
    """A view within global memory that is only assembled again goes through UB: (tensor, assemble) pairs done."""
    handled: set[tuple[int, int]] = set()
    moved: dict[int, LogicalTensor] = {}
    for operation in edit:
        if not is_assemble(operation):
            continue
        part = operation.inputs[0]
        writers = edit.producers(part)
        if part.memory is not GM or len(writers) != 1 or not is_view(writers[0]):
            continue
        handled.add((part.id, operation.id))
        if static_shape(part.shape) is None or edit.readers(part) != 1:
            continue
        loaded = edit.builder.tensor(part.raw, part.shape, part.offset, part.valid_shape, UB)
        moved[part.id] = loaded
        view, write = ("SLICE", "CONTRACT") if slices else ("VIEW", "ASSEMBLE")
        details = {**writers[0].attributes, "to": UB}
        edit.change(writers[0], opcode=view, outputs=(loaded,), attributes=details)
        details = {**operation.attributes, "from": UB}
        edit.change(operation, opcode=write, inputs=(loaded,), attributes=details)
    return handled


def _copy(edit: Edit, part: LogicalTensor, writer: Operation, slices: bool) -> None:
    """`writer` reads a copy of `part` in the memory of its result, made through global memory or UB."""
    target = writer.outputs[0].memory
    copy = _like(edit, part, target)
    if part.memory is GM and target is GM:
        between = _like(edit, part, UB)
        _move(edit, writer, part, between, slices)
        _move(edit, writer, between, copy, slices)
    elif part.memory is GM or target is GM:
        _move(edit, writer, part, copy, slices)
    else:
        between = _like(edit, part, GM)
        _move(edit, writer, part, between, slices)
        _move(edit, writer, between, copy, slices)
    edit.replace_input(writer, part, copy)


def _like(edit: Edit, tensor: LogicalTensor, memory: MemorySpace | None) -> LogicalTensor:
    raw = edit.builder.raw(tensor.shape, tensor.dtype, tensor.raw.name, format=tensor.raw.format)
    return edit.builder.tensor(raw, valid_shape=tensor.valid_shape, memory=memory)


def _move(edit: Edit, like: Operation, source: LogicalTensor, target: LogicalTensor, slices: bool) -> None:
    zero = (0,) * source.rank
    if source.memory is GM:
        edit.add(like, "SLICE" if slices else "VIEW", (source,), (target,), {"offset": zero, "to": target.memory})
    else:
        opcode = "CONTRACT" if slices else "ASSEMBLE"
        edit.add(like, opcode, (source,), (target,), {"offset": zero, "from": source.memory})


def copy_through_gm(edit: Edit, part: LogicalTensor, writer: Operation, slices: bool) -> None:
    """`writer` reads `part` back from a copy in global memory."""
    between, back = _like(edit, part, GM), _like(edit, part, part.memory)
    _move(edit, writer, part, between, slices)
    _move(edit, writer, between, back, slices)
    edit.replace_input(writer, part, back)
