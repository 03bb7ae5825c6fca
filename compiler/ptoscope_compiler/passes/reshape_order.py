"""Reshapes around matrix products, moved outside the windows they lie within.

VIEW then RESHAPE becomes RESHAPE of the whole in place, then VIEW; RESHAPE then ASSEMBLE becomes ASSEMBLE, then one
RESHAPE of the whole. Batches of a product then need no copy. Source:
`framework/src/passes/pass_utils/view_reshape_assemble_reorder_utils.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.graph import Graph, LogicalTensor, Operation
from ..scalar import add, known, maximum
from .axis_groups import Offset, Shape, axis_groups, collapsed, collapsed_offset, stays_contiguous
from .edit import Edit
from .manager import PassContext
from .merge_view_assemble import merge_moves
from .moves import PRODUCTS, offset_of
from .windows import static_shape


@dataclass(frozen=True, slots=True)
class ViewThenReshape:
    """`view` of a tensor, reshaped; `shape` is that of the whole reshaped, `offset` where the window is in it."""

    view: Operation
    reshape: Operation
    shape: Shape
    valid_shape: Shape
    offset: Offset


@dataclass(frozen=True, slots=True)
class ReshapeThenAssemble:
    """A reshaped tensor, assembled; `shape` is that of the whole before reshaping, `offset` the place in it."""

    reshape: Operation
    assemble: Operation
    shape: Shape
    offset: Offset

    @property
    def target(self) -> LogicalTensor:
        return self.assemble.outputs[0]

    @property
    def written(self) -> Shape:
        """How far the valid part of the target reaches after this assemble."""
        part = self.assemble.inputs[0]
        return tuple(
            add(size, start) if size != 0 else 0
            for size, start in zip(part.valid_shape, offset_of(self.assemble), strict=True)
        )


def reorder_reshapes(graph: Graph, context: PassContext) -> Graph:
    """`graph` with its reshapes moved, if it multiplies matrices and views or assembles in a row would profit."""
    edit = Edit(graph, context.builder)
    if not _takes_part(graph) or not (any(_views(edit)) or any(_assembles(edit))) or not _has_moves_in_a_row(edit):
        return graph
    merge_moves(edit)
    views, assembles = list(_views(edit)), list(_assembles(edit))
    for found in views:
        _move_before(edit, found)
    groups: dict[tuple[int, Shape], list[ReshapeThenAssemble]] = {}
    for place in assembles:
        groups.setdefault((place.target.id, place.shape), []).append(place)
    for group in groups.values():
        _move_behind(edit, group)
    return edit.finish()


def _takes_part(graph: Graph) -> bool:
    if not any(operation.opcode in PRODUCTS for operation in graph.operations):
        return False
    return all(_known_but_first(tensor.shape) for tensor in (*graph.inputs, *graph.outputs))


def _known_but_first(shape: Shape) -> bool:
    return all(known(size) for size in shape[1:])


def _has_moves_in_a_row(edit: Edit) -> bool:
    """VIEW, VIEW, RESHAPE or RESHAPE, ASSEMBLE, ASSEMBLE."""
    for reshape in edit:
        if reshape.opcode != "RESHAPE":
            continue
        view = _only_writer(edit, reshape.inputs[0], "VIEW")
        if view is not None and _only_writer(edit, view.inputs[0], "VIEW") is not None:
            return True
        for assemble in edit.consumers(reshape.outputs[0]):
            readers = edit.consumers(assemble.outputs[0]) if assemble.opcode == "ASSEMBLE" else []
            if any(reader.opcode == "ASSEMBLE" for reader in readers):
                return True
    return False


def _only_writer(edit: Edit, tensor: LogicalTensor, opcode: str) -> Operation | None:
    writers = edit.producers(tensor)
    return writers[0] if len(writers) == 1 and writers[0].opcode == opcode else None


def _only_reader(edit: Edit, tensor: LogicalTensor, opcode: str) -> Operation | None:
    readers = edit.consumers(tensor)
    single = len(readers) == 1 and readers[0].opcode == opcode and not edit.is_output(tensor)
    return readers[0] if single else None


def _views(edit: Edit) -> Iterator[ViewThenReshape]:
    for reshape in edit:
        if reshape.opcode != "RESHAPE":
            continue
        view = _only_writer(edit, reshape.inputs[0], "VIEW")
        if view is None or _only_reader(edit, reshape.inputs[0], "RESHAPE") is None:
            continue
        whole, window, result = view.inputs[0], reshape.inputs[0], reshape.outputs[0]
        before, after = static_shape(window.shape), static_shape(result.shape)
        groups = axis_groups(before, after) if before is not None and after is not None else None
        if groups is None or not stays_contiguous(offset_of(view), window.shape, whole.shape, groups):
            continue
        shape, valid = collapsed(whole.shape, groups), collapsed(whole.valid_shape, groups)
        if shape is not None and valid is not None and _known_but_first(shape):
            yield ViewThenReshape(view, reshape, shape, valid, collapsed_offset(offset_of(view), whole.shape, groups))


def _assembles(edit: Edit) -> Iterator[ReshapeThenAssemble]:
    for reshape in edit:
        if reshape.opcode != "RESHAPE" or _only_writer(edit, reshape.inputs[0], "VIEW") is not None:
            continue
        part, window = reshape.inputs[0], reshape.outputs[0]
        assemble = _only_reader(edit, window, "ASSEMBLE")
        if assemble is None or edit.writers(window) != 1 or _only_writer(edit, part, "SUB") is not None:
            continue
        whole = assemble.outputs[0]
        before, after = static_shape(window.shape), static_shape(part.shape)
        groups = axis_groups(before, after) if before is not None and after is not None else None
        if groups is None or not stays_contiguous(offset_of(assemble), window.shape, whole.shape, groups):
            continue
        shape = collapsed(whole.shape, groups)
        if shape is not None and _known_but_first(shape) and static_shape(window.valid_shape) is not None:
            offset = collapsed_offset(offset_of(assemble), whole.shape, groups)
            yield ReshapeThenAssemble(reshape, assemble, shape, offset)


def _in_place(reshape: Operation, target: LogicalTensor, valid_shape: Shape) -> dict[str, object]:
    own = {"reshape": target.shape, "op_attr_isInplace": True, "op_attr_validShape": valid_shape}
    return {**reshape.attributes, **own}


def _move_before(edit: Edit, found: ViewThenReshape) -> None:
    source, result = found.view.inputs[0], found.reshape.outputs[0]
    raw = edit.builder.raw(found.shape, source.dtype, format=source.raw.format)
    reshaped = edit.builder.tensor(raw, valid_shape=found.valid_shape)
    edit.remove(found.reshape)
    edit.add(found.reshape, "RESHAPE", (source,), (reshaped,), _in_place(found.reshape, reshaped, found.valid_shape))
    edit.add(found.view, "VIEW", (reshaped,), (result,), {**found.view.attributes, "offset": found.offset})
    edit.remove(found.view)


def _move_behind(edit: Edit, group: list[ReshapeThenAssemble]) -> None:
    first, target = group[0], group[0].target
    raw = edit.builder.raw(first.shape, target.dtype, format=target.raw.format)
    assembled = edit.builder.tensor(raw)
    reach = first.written
    for place in group:
        reach = tuple(maximum(left, right) for left, right in zip(reach, place.written, strict=True))
        attributes = {**place.assemble.attributes, "offset": place.offset}
        edit.add(place.assemble, "ASSEMBLE", place.reshape.inputs, (assembled,), attributes)
        edit.remove(place.assemble)
        edit.remove(place.reshape)
    edit.add(first.reshape, "RESHAPE", (assembled,), (target,), _in_place(first.reshape, target, reach))
