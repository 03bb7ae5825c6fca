"""SCATTER_ELEMENT and SCATTER: the indices are tiled, every axis but the scattered one.

Source: `InnerTiledScatterElementS` and `InnerTiledScatter` in
`framework/src/interface/operation/vector/indexing.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import LogicalTensor, Operation
from ..windows import Extents, Window
from .registry import Expansion, Operand, blocks, expands, extents, tile_of


def _along(tensor: LogicalTensor, shape: Extents, offset: Extents, axis: int) -> Window:
    """The tile of `tensor`, whole along `axis`."""
    whole = extents(tensor)[axis]
    return Window(tensor, (*shape[:axis], whole, *shape[axis + 1 :]), (*offset[:axis], 0, *offset[axis + 1 :]))


@expands("SCATTER_ELEMENT", "SCATTER")
def scatter(expansion: Expansion, operation: Operation) -> None:
    """Inputs: self, indices and, for SCATTER, sources; the output starts as a copy of self."""
    data, indices, *sources = operation.inputs
    result = operation.outputs[0]
    axis = operation.attribute("op_attr_axis", 0) % result.rank
    tile = list(tile_of(operation, indices.rank))
    tile[axis] = extents(indices)[axis]
    for shape, offset in blocks(extents(indices), tile):
        windows = [Window(tensor, shape, offset) for tensor in (indices, *sources)]
        outputs: list[Operand] = [_along(result, shape, offset, axis)]
        if sources:
            outputs.append(expansion.temporary(shape[-1:], indices.dtype))
        expansion.emit(operation.opcode, (_along(data, shape, offset, axis), *windows), outputs)
