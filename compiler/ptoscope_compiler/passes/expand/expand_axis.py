"""EXPAND: stretch axes of extent 1.

Source: `Expand` in `framework/src/interface/operation/vector/tensor_transformation.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.graph import LogicalTensor, Operation
from ...scalar import ScalarLike
from ..windows import Extents, Window
from .registry import Expansion, blocks, expands, extents, tile_of


def _write(expansion: Expansion, source: LogicalTensor, result: LogicalTensor, tile: Extents) -> None:
    size = extents(source)
    target = extents(result)
    stretched = [axis for axis, (a, b) in enumerate(zip(size, target, strict=True)) if a != b]
    for shape, offset in blocks(target, tile):
        start = tuple(o % s if s < t else o for o, s, t in zip(offset, size, target, strict=True))
        part = Window(source, tuple(map(min, shape, size)), start)
        written = Window(result, shape, offset)
        details = {"op_attr_expand_dims": stretched, "op_attr_validShape": written.valid_shape}
        expansion.emit("EXPAND", (part,), (written,), details)


def expand_axes(
    expansion: Expansion,
    source: LogicalTensor,
    shape: tuple[ScalarLike, ...],
    others: Sequence[LogicalTensor],
    tile: Extents,
) -> LogicalTensor:
    """`source` stretched to `shape`; the operand that has the extent of a stretched axis says how much is valid."""
    valid: list[ScalarLike] = []
    for axis, extent in enumerate(shape):
        model = source
        if source.shape[axis] != extent:
            model = next((other for other in others if other.shape[axis] == extent), source)
        valid.append(model.valid_shape[axis] if model.shape[axis] == extent else extent)
    result = expansion.builder.new(shape, source.dtype, valid_shape=valid)
    _write(expansion, source, result, tile)
    return result


@expands("EXPAND")
def expand(expansion: Expansion, operation: Operation) -> None:
    result = operation.outputs[0]
    _write(expansion, operation.inputs[0], result, tile_of(operation, result.rank))
