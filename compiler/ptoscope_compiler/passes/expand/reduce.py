"""Reductions: pairs of tiles along the axis are combined until one is left, which is reduced within itself.

Source: `TileReduceNew` in `framework/src/interface/operation/vector/reduction.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...dtype import DType
from ...ir.graph import LogicalTensor, Operation
from ..windows import Extents, Window
from .registry import Expansion, Operand, align, blocks, expands, extents, tile_of

BLOCK_BYTES = 32
REPEAT_BYTES = 256


def with_axis(values: Extents, axis: int, value: int) -> Extents:
    """`values` with one entry changed."""
    return (*values[:axis], value, *values[axis + 1 :])


def whole(tensor: LogicalTensor) -> Window:
    """All of a tensor, as a window."""
    return Window(tensor, extents(tensor), (0,) * tensor.rank)


def outer_blocks(operation: Operation, axis: int) -> list[tuple[Window, Window]]:
    """(input, output) windows: every axis but `axis` cut into tiles, `axis` whole."""
    source, result = operation.inputs[0], operation.outputs[0]
    tile = tile_of(operation, source.rank)
    size, target = extents(source), extents(result)
    pairs = []
    for shape, offset in blocks(with_axis(size, axis, 1), tile):
        read = Window(source, with_axis(shape, axis, size[axis]), with_axis(offset, axis, 0))
        written = Window(result, with_axis(shape, axis, target[axis]), with_axis(offset, axis, 0))
        pairs.append((read, written))
    return pairs


def _scratch_shape(shape: Extents, axis: int, dtype: DType) -> Extents:
    """Scratch of a reduction along the last axis of a tile of `shape`."""
    row, repeat = shape[axis], REPEAT_BYTES // dtype.bytes
    rows, columns = shape[max(0, axis - 1)], BLOCK_BYTES // dtype.bytes
    if row <= repeat:
        rows = 1
    elif row <= 2 * repeat:
        columns = repeat
    else:
        columns = row * dtype.bytes // REPEAT_BYTES // 2 * repeat
    return (columns,) if len(shape) == 1 else (rows, columns)


def _within_tile(expansion: Expansion, kind: str, tile: Window, result: Window, axis: int) -> None:
    """The last step: reduce one tile along `axis`."""
    dtype, shape = tile.parent.dtype, tile.shape
    last = axis == len(shape) - 1
    outputs: list[Operand] = [result]
    if last:
        outputs.append(expansion.temporary(_scratch_shape(shape, axis, dtype), dtype))
    elif kind == "SUM":
        outputs.append(expansion.temporary(((shape[axis] + 1) // 2, align(shape[-1], 8)), dtype))
    expansion.emit(f"ROW{kind}{'_SINGLE' if last else 'LINE'}", (tile,), outputs, {"op_attr_AXIS": axis})


class _Halving:
    """One reduction along `axis` of a window, in steps of `step` elements."""

    def __init__(self, expansion: Expansion, kind: str, source: Window, axis: int, step: int) -> None:
        self.expansion, self.kind, self.axis, self.step = expansion, kind, axis, step
        self.source = source

    def _part(self, window: Window, size: int, offset: int) -> Window:
        zeros = (0,) * len(window.shape)
        return window.window(with_axis(window.shape, self.axis, size), with_axis(zeros, self.axis, offset))

    def _combine(self, left: Window, right: Window, width: int) -> Window:
        """A tensor whose first `width` elements along the axis are left op right; `right` may end in a tail."""
        source = self.source
        made = whole(self.expansion.builder.new(source.shape, source.parent.dtype, valid_shape=source.valid_shape))
        extent = right.shape[self.axis]
        for start in range(0, width, self.step):
            pair = (
                self._part(left, self.step, start),
                self._part(right, min(self.step, extent - start), start),
            )
            self.expansion.emit(f"PAIR{self.kind}", pair, (self._part(made, self.step, start),), {})
        return made

    def run(self) -> Window:
        """The tile that remains."""
        axis, step, source = self.axis, self.step, self.source
        extent = source.shape[axis]
        padded = align(extent, step)
        width = step
        while width * 2 <= padded:
            width *= 2
        rest, rest_offset, current = padded - width, width, source
        while width >= 2 * step:
            width //= 2
            right = self._part(current, min(width, extent - width), width)
            combined = self._combine(self._part(current, width, 0), right, width)
            if rest >= width:
                size = min(rest, extent - rest_offset)
                combined = self._combine(combined, self._part(source, size, rest_offset), width)
                rest, rest_offset = rest - width, rest_offset + width
            current = combined
        return self._part(current, min(extent, step), 0)


@expands("ROWMAX_SINGLE", "ROWMIN_SINGLE", "ROWSUM_SINGLE", "ROWPROD_SINGLE")
def reduce(expansion: Expansion, operation: Operation) -> None:
    kind = operation.opcode.removeprefix("ROW").removesuffix("_SINGLE")
    rank = operation.inputs[0].rank
    axis = operation.attributes["op_attr_AXIS"] % rank
    step = tile_of(operation, rank)[axis]
    for source, result in outer_blocks(operation, axis):
        tile = _Halving(expansion, kind, source, axis, step).run()
        _within_tile(expansion, kind, tile, result, axis)
