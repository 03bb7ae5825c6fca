"""VIEW, ASSEMBLE, ASSEMBLE_SSA and VIEW_TYPE.

Where slices are enabled, a VIEW becomes one SLICE and one copying CONTRACT per tile, an ASSEMBLE the same.
Source: `TiledViewOperation`, `TiledAssemble`, `TiledInnerAssemble`, `TiledViewTypeOperation` in
`framework/src/interface/operation/operation_impl.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir.graph import LogicalTensor, Operation
from ..windows import Extents, Window, shifted, valid_window
from .registry import Expansion, blocks, expands, extents, tile_of


def _tile_within(expansion: Expansion, parent: LogicalTensor, shape: Extents, offset: Extents) -> LogicalTensor:
    """A logical tensor that shares the storage of `parent`."""
    window = Window(parent, shape, offset)
    start = shifted(parent.offset, offset)
    return expansion.builder.tensor(parent.raw, shape, start, window.valid_shape)


def _carried(operation: Operation) -> dict[str, object]:
    return {name: value for name, value in operation.attributes.items() if name not in ("offset", "valid_shape")}


def _full_tile(operation: Operation, tensor: LogicalTensor) -> Extents:
    """The operation's tile, its last entry repeated for axes that it does not name."""
    tile = operation.tiles.vector or extents(tensor)
    return (*tile, *[tile[-1]] * (tensor.rank - len(tile)))


@expands("VIEW")
def view(expansion: Expansion, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    carried, base = _carried(operation), operation.attributes["offset"]
    as_in_source = result.valid_shape == valid_window(source.valid_shape, base, result.shape)
    for shape, offset in blocks(extents(result), _full_tile(operation, result)):
        tile = _tile_within(expansion, result, shape, offset)
        start = shifted(base, offset)
        if as_in_source:
            tile = replace(tile, valid_shape=valid_window(source.valid_shape, start, shape))
        expansion.raw("SLICE", (source,), (tile,), {**carried, "offset": start})
        expansion.raw("CONTRACT", (tile,), (result,), {**carried, "NeedCopy": True, "offset": offset})


@expands("ASSEMBLE")
def assemble(expansion: Expansion, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    carried = _carried(operation)
    for shape, offset in blocks(extents(source), _full_tile(operation, source)):
        tile = _tile_within(expansion, source, shape, offset)
        expansion.raw("SLICE", (source,), (tile,), {**carried, "offset": offset})
        start = shifted(operation.attributes["offset"], offset)
        expansion.raw("CONTRACT", (tile,), (result,), {**carried, "NeedCopy": True, "offset": start})


@expands("ASSEMBLE_SSA")
def assemble_in_place(expansion: Expansion, operation: Operation) -> None:
    """Inputs: what is written, and the tensor it is written into, which is whole in every operation made."""
    source, target = operation.inputs
    carried = _carried(operation)
    for shape, offset in blocks(extents(source), tile_of(operation, source.rank)):
        details = {**carried, "offset": shifted(operation.attributes["offset"], offset), "INPLACE_IDX": 1}
        expansion.emit("ASSEMBLE_SSA", (Window(source, shape, offset), target), operation.outputs, details)


@expands("VIEW_TYPE")
def view_type(expansion: Expansion, operation: Operation) -> None:
    """The same bytes under another element type: the last axis grows or shrinks by the ratio of the sizes."""
    source, result = operation.inputs[0], operation.outputs[0]
    wide, narrow = source.dtype.bytes, result.dtype.bytes
    for shape, offset in blocks(extents(source), tile_of(operation, source.rank)):
        out = (*shape[:-1], shape[-1] * wide // narrow)
        start = (*offset[:-1], offset[-1] * wide // narrow)
        expansion.emit("VIEW_TYPE", (Window(source, shape, offset),), (Window(result, out, start),))
