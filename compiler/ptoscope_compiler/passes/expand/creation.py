"""VEC_DUP (full) and RANGE (arange): one per tile of the result.

Source: `TiledFull` in `vector/tensor_transformation.cpp`, `TiledRange` in `vector/indexing.cpp`, both in
`framework/src/interface/operation` of hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from ..windows import Window
from .registry import Expansion, blocks, expands, extents, tile_of


@expands("VEC_DUP")
def full(expansion: Expansion, operation: Operation) -> None:
    result = operation.outputs[0]
    for shape, offset in blocks(extents(result), tile_of(operation, result.rank)):
        written = Window(result, shape, offset)
        details = {"op_attr_shape": shape, "op_attr_validShape": written.valid_shape}
        expansion.emit("VEC_DUP", (), (written,), {**operation.attributes, **details})


@expands("RANGE")
def arange(expansion: Expansion, operation: Operation) -> None:
    """`DYN_SCALAR` is the index of the tile's first element."""
    result = operation.outputs[0]
    for shape, offset in blocks(extents(result), tile_of(operation, result.rank)):
        details = {"op_attr_SIZE": shape[0], "DYN_SCALAR": offset[0]}
        expansion.emit("RANGE", (), (Window(result, shape, offset),), {**operation.attributes, **details})
