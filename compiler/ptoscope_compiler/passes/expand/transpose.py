"""Transposes of two axes and permutations: the tile applies to the input.

Source: `TiledInnerTranspose` in `framework/src/interface/operation/vector/tensor_transformation.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from ..windows import Extents, Window
from .registry import Expansion, Operand, align, blocks, expands, extents, tile_of


def swapped(values: Extents, first: int, second: int) -> Extents:
    """`values` with two entries exchanged."""
    order = list(values)
    order[first], order[second] = order[second], order[first]
    return tuple(order)


def _scratch_shape(shape: Extents, bytes_per_element: int) -> Extents:
    """The tile padded to what one conversion instruction turns at once."""
    if len(shape) < 2:
        return shape
    rows = 32 if bytes_per_element == 1 else 16
    return (*shape[:-2], align(shape[-2], rows), align(shape[-1], 32 // bytes_per_element))


@expands("TRANSPOSE_MOVEOUT", "TRANSPOSE_MOVEIN", "TRANSPOSE_VNCHWCONV")
def transpose(expansion: Expansion, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    first, second = operation.attributes["op_attr_shape"]
    for shape, offset in blocks(extents(source), tile_of(operation, source.rank)):
        outputs: list[Operand] = [Window(result, swapped(shape, first, second), swapped(offset, first, second))]
        if operation.opcode == "TRANSPOSE_VNCHWCONV":
            outputs.append(expansion.temporary(_scratch_shape(shape, source.dtype.bytes), source.dtype))
        expansion.emit(operation.opcode, (Window(source, shape, offset),), outputs)
