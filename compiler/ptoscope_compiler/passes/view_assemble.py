"""VIEWs that are assembled again as they were: readers of the result read the start, or one view of it.

Source: `RemoveRedundantOpUtils::ProcessViewAssembleLike` in
`framework/src/passes/pass_utils/remove_redundant_op_utils.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import LogicalTensor, Operation
from .contract_slice import same_extent
from .edit import Edit
from .moves import is_assemble, is_view, is_zero, offset_of, static_offset
from .regions import Region
from .windows import static_shape

_PAIRS = frozenset({("VIEW", "ASSEMBLE"), ("SLICE", "CONTRACT")})


def bypass_view_assemble(edit: Edit) -> bool:
    """Rewrite every such pair; whether anything changed."""
    changed = False
    for view in edit:
        if not is_view(view):
            continue
        start = view.inputs[0]
        for reader in edit.consumers(view.outputs[0]):
            if (view.opcode, reader.opcode) in _PAIRS and reader in edit and view in edit:
                changed |= _pair(edit, view, reader, start)
    return changed


def _pair(edit: Edit, view: Operation, assemble: Operation, start: LogicalTensor) -> bool:
    end = assemble.outputs[0]
    outside = edit.is_input(start) or edit.is_output(start)
    if outside and edit.is_output(end):
        return False
    aliases = view.opcode == "VIEW"
    if aliases and start.memory is not end.memory:
        return False
    if start.shape == end.shape:
        return start.memory is end.memory and _same_tensor(edit, start, end)
    if static_shape(start.shape) is None or static_shape(end.shape) is None:
        return False
    return _part_of(edit, view, assemble, start, end)


def _chains(edit: Edit, start: LogicalTensor, end: LogicalTensor) -> list[tuple[Operation, Operation]] | None:
    """(view, assemble) for every writer of `end`, if all of them bring parts of `start`."""
    pairs = []
    for assemble in edit.producers(end):
        if not is_assemble(assemble):
            return None
        views = edit.producers(assemble.inputs[0])
        if len(views) != 1 or not is_view(views[0]) or views[0].inputs[0].id != start.id:
            return None
        pairs.append((views[0], assemble))
    return pairs or None


def _same_tensor(edit: Edit, start: LogicalTensor, end: LogicalTensor) -> bool:
    """`end` is `start` taken apart and put together again: readers of `end` read `start`."""
    pairs = _chains(edit, start, end)
    if pairs is None or any(offset_of(view) != offset_of(assemble) for view, assemble in pairs):
        return False
    if not edit.is_output(end):
        if not edit.readers(end):
            return False
        edit.redirect(end, start)
        return True
    only_here = {view.id for view, _ in pairs} == {reader.id for reader in edit.consumers(start)}
    if edit.readers(end) or not only_here or edit.is_input(start) or edit.is_output(start):
        return False
    for view, assemble in pairs:
        edit.remove(assemble)
        edit.remove(view)
    for writer in edit.producers(start):
        edit.change(writer, outputs=tuple(end if t.id == start.id else t for t in writer.outputs))
    return True


def _part_of(edit: Edit, view: Operation, assemble: Operation, start: LogicalTensor, end: LogicalTensor) -> bool:
    """`end` is a part of `start`: one view of `start` replaces it."""
    if _is_whole_copy(edit, view, assemble) and start.memory is end.memory:
        details = {**view.attributes, "to": end.memory}
        edit.add(view, "VIEW", (start,), (end,), details)
        edit.remove(assemble)
        edit.remove(view)
        return True
    if edit.is_output(end) or not edit.readers(end):
        return False
    offset = _translation(edit, start, end)
    if offset is None:
        return False
    raw = edit.builder.raw(end.shape, end.dtype, end.raw.name, format=end.raw.format)
    part = edit.builder.tensor(raw, valid_shape=end.valid_shape, memory=end.memory)
    opcode = "VIEW" if start.memory is end.memory else "SLICE"
    edit.add(view, opcode, (start,), (part,), {"offset": offset, "to": end.memory})
    edit.redirect(end, part)
    return True


def _is_whole_copy(edit: Edit, view: Operation, assemble: Operation) -> bool:
    """One SLICE all of which one CONTRACT takes over."""
    tile, end = view.outputs[0], assemble.outputs[0]
    single = edit.readers(tile) == 1 and edit.writers(end) == 1
    return view.opcode == "SLICE" and single and same_extent(tile, end) and is_zero(offset_of(assemble))


def _translation(edit: Edit, start: LogicalTensor, end: LogicalTensor) -> tuple[int, ...] | None:
    """The offset by which all of `end` lies in `start`, if every part has the same and the parts fill `end`."""
    pairs = _chains(edit, start, end)
    size = static_shape(end.shape)
    if pairs is None or size is None or start.dtype is not end.dtype or start.rank != end.rank:
        return None
    shifts, covered = set(), 0
    regions: list[Region[None]] = []
    for view, assemble in pairs:
        source, target, shape = static_offset(view), static_offset(assemble), static_shape(view.outputs[0].shape)
        if source is None or target is None or shape is None or view.outputs[0].valid_shape != shape:
            return None
        shifts.add(tuple(a - b for a, b in zip(source, target, strict=True)))
        region = Region(target, shape, None)
        if any(region.meets(other) for other in regions):
            return None
        regions.append(region)
        covered += _volume(shape)
    (shift, *others) = shifts
    complete = covered == _volume(size) and not others and all(step >= 0 for step in shift)
    return shift if complete else None


def _volume(shape: tuple[int, ...]) -> int:
    total = 1
    for extent in shape:
        total *= extent
    return total
