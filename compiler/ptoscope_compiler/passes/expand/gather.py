"""GATHER and GATHER_ELEMENT: the result is tiled, the data stay whole along the gathered axis.

Source: `TiledGatherOperation` and `TiledGatherElementOperation` in
`framework/src/interface/operation/vector/indexing.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from ..windows import Extents, Window
from .registry import Expansion, align, blocks, expands, extents, tile_of


def _axis(operation: Operation) -> int:
    axis: int = operation.attribute("op_attr_axis", 0)
    return axis % operation.inputs[0].rank


def _clipped(size: int, offset: int, tile: int) -> tuple[int, int]:
    start = offset % size
    return min(size - start, tile), start


@expands("GATHER")
def gather(expansion: Expansion, operation: Operation) -> None:
    """result.shape = data.shape[:axis] + indices.shape + data.shape[axis + 1:]."""
    data, indices = operation.inputs
    result = operation.outputs[0]
    axis, tile = _axis(operation), tile_of(operation, result.rank)
    size = extents(data)
    for shape, offset in blocks(extents(result), tile):
        end = axis + indices.rank
        cut = [_clipped(size[a], offset[a], tile[a]) for a in range(axis)]
        cut.append((size[axis], 0))
        cut += [_clipped(size[a - indices.rank + 1], offset[a], tile[a]) for a in range(end, result.rank)]
        read = Window(data, tuple(c[0] for c in cut), tuple(c[1] for c in cut))
        chosen = Window(indices, shape[axis:end], offset[axis:end])
        expansion.emit("GATHER", (read, chosen), (Window(result, shape, offset),))


@expands("GATHER_ELEMENT")
def gather_element(expansion: Expansion, operation: Operation) -> None:
    data, indices = operation.inputs
    result = operation.outputs[0]
    axis, tile = _axis(operation), tile_of(operation, result.rank)
    size = extents(data)
    for shape, offset in blocks(extents(result), tile):
        cut = [(size[a], 0) if a == axis else _clipped(size[a], offset[a], tile[a]) for a in range(data.rank)]
        read = Window(data, tuple(c[0] for c in cut), tuple(c[1] for c in cut))
        scratch: Extents = (2 * align(shape[-1], 32 // indices.dtype.bytes),)
        outputs = (Window(result, shape, offset), expansion.temporary(scratch, indices.dtype))
        expansion.emit("GATHER_ELEMENT", (read, Window(indices, shape, offset)), outputs)
