"""Pass 07, SplitReshape: a reshape between tiles becomes one reshape per tile, where tiles on both sides allow it.

Both shapes are cut into the axes they have in common; a tile is a box of those. A view behind the reshape that lies
within one tile reads that tile, reshaped; one that several tiles fill exactly reads these, assembled and reshaped.
Source: `framework/src/passes/tile_graph_pass/graph_optimization/split_reshape.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import TypeAlias

from ..ir.graph import Graph, LogicalTensor, Operation
from .check import check_structure
from .edit import Edit
from .manager import PassContext
from .moves import is_assemble, is_view, static_offset, with_offset
from .regions import Extents, Region, RegionIndex
from .windows import shifted, static_shape, valid_window


class _Axes:
    """The axes that two shapes of one size have in common."""

    def __init__(self, one: Extents, other: Extents) -> None:
        cuts = sorted({1, *_suffix_products(one), *_suffix_products(other)})
        same_size = bool(one) and bool(other) and prod(one) == prod(other) > 0
        self.exist = same_size and all(large % small == 0 for small, large in pairwise(cuts))
        self._cuts = cuts

    def of(self, shape: Extents) -> list[Extents]:
        """Per axis of `shape`, the extents of the common axes that it consists of."""
        result = []
        suffix = prod(shape)
        for extent in shape:
            inner = suffix // extent
            bounds = [cut for cut in reversed(self._cuts) if inner <= cut <= suffix]
            result.append(tuple(large // small for large, small in pairwise(bounds)))
            suffix = inner
        return result

    def box(self, shape: Extents, offset: Extents, extents: Extents) -> Region[None] | None:
        """A rectangle of a tensor of `shape` in the common axes, if it is a rectangle there."""
        places: list[tuple[int, int]] = []
        for factors, start, size in zip(self.of(shape), offset, extents, strict=True):
            found = _refined(factors, start, size)
            if found is None:
                return None
            places += found
        return Region(tuple(start for start, _ in places), tuple(size for _, size in places), None)

    def rectangle(self, shape: Extents, box: Region[None]) -> Region[None] | None:
        """A box of the common axes as a rectangle of a tensor of `shape`, if it is one there."""
        places = list(zip(box.offset, box.shape, strict=True))
        result = []
        for factors in self.of(shape):
            found = _merged(factors, places[: len(factors)])
            if found is None:
                return None
            result.append(found)
            places = places[len(factors) :]
        return Region(tuple(start for start, _ in result), tuple(size for _, size in result), None)


def _suffix_products(shape: Extents) -> list[int]:
    return [prod(shape[axis:]) for axis in range(len(shape))]


def _refined(factors: Extents, start: int, size: int) -> list[tuple[int, int]] | None:
    """`[start, start + size)` of an axis per factor of it, as (start, size)."""
    result: list[tuple[int, int]] = []
    stride = prod(factors)
    single = True
    for factor in factors:
        stride //= factor
        if single and size <= stride:
            index, start = divmod(start, stride)
            if start + size > stride:
                return None
            result.append((index, 1))
        elif start % stride or size % stride:
            return None
        else:
            result.append((start // stride, size // stride))
            start, size, single = 0, stride, False
    return result


def _merged(factors: Extents, places: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The inverse of `_refined`: one interval, unless there are gaps in it."""
    stride = prod(factors)
    start, size, single = 0, 1, True
    for factor, (index, count) in zip(factors, places, strict=True):
        stride //= factor
        if not single and (index, count) != (0, factor):
            return None
        if single:
            start += index * stride
            if count != 1:
                size, single = count * stride, False
    return start, size


Parts: TypeAlias = dict[tuple[object, ...], tuple[LogicalTensor, Extents]]


class _Splitter:
    """The splitting of one reshape; `parts` are shared by all that reshape the same source alike."""

    def __init__(self, edit: Edit, reshape: Operation, parts: Parts) -> None:
        self.edit, self.reshape, self.parts = edit, reshape, parts
        self.source, self.result = reshape.inputs[0], reshape.outputs[0]
        self.source_shape = static_shape(self.source.shape) or ()
        self.result_shape = static_shape(self.result.shape) or ()
        self.axes = _Axes(self.source_shape, self.result_shape)

    def run(self) -> None:
        readers = self.edit.consumers(self.result)
        if not self.axes.exist or not self._tiled() or not all(map(is_view, readers)) or not self._valid_fixed():
            return
        tiles = self._tiles()
        if tiles is not None:
            index = RegionIndex(tiles)
            for reader in readers:
                self._route(reader, index)

    def _tiled(self) -> bool:
        """Whether the source is assembled from several tiles, none of them a sum that grows in memory."""
        writers = self.edit.producers(self.source)
        return len(writers) > 1 and all(
            is_assemble(writer)
            and not writer.attribute("op_attr_atomic_add")
            and all(maker.opcode != "REDUCE_ACC" for maker in self.edit.producers(writer.inputs[0]))
            for writer in writers
        )

    def _valid_fixed(self) -> bool:
        """Whether the axes that change are valid in full, so that valid windows pass from one shape to the other."""
        same = set(_edges(self.source_shape)) & set(_edges(self.result_shape))
        return all(
            valid == extent or edge in same
            for tensor, shape in ((self.source, self.source_shape), (self.result, self.result_shape))
            for valid, extent, edge in zip(tensor.valid_shape, shape, _edges(shape), strict=True)
        )

    def _tiles(self) -> list[Region[Operation]] | None:
        """What is assembled, as boxes of the common axes; nothing if one is not, or if they do not fill the source."""
        tiles = []
        for writer in self.edit.producers(self.source):
            offset, extents = static_offset(writer), static_shape(writer.inputs[0].shape)
            if offset is None or extents is None:
                return None
            box = self.axes.box(self.source_shape, offset, extents)
            if box is None:
                return None
            tiles.append(Region(box.offset, box.shape, writer))
        return tiles if sum(prod(tile.shape) for tile in tiles) == prod(self.source_shape) else None

    def _route(self, reader: Operation, tiles: RegionIndex[Operation]) -> None:
        offset, extents = static_offset(reader), static_shape(reader.outputs[0].shape)
        if offset is None or extents is None or extents == self.result_shape:
            return
        box = self.axes.box(self.result_shape, offset, extents)
        if box is None:
            return
        around = tiles.around(box.offset, box.shape)
        if around is not None:
            made = self._reshaped(Region(around.offset, around.shape, None), [around.item])
        else:
            within = tiles.inside(box.offset, box.shape)
            if sum(prod(tile.shape) for tile in within) != prod(box.shape):
                return
            made = self._reshaped(box, [tile.item for tile in within])
        if made is not None:
            tensor, start = made
            local = shifted(offset, tuple(-begin for begin in start))
            self.edit.change(reader, inputs=(tensor,), attributes=with_offset(reader, local))

    def _reshaped(self, box: Region[None], writers: list[Operation]) -> tuple[LogicalTensor, Extents] | None:
        """The part `box` of the result, made from what `writers` write, and where it begins."""
        key = (self.source.id, self.result_shape, self.result.valid_shape, box.offset, box.shape)
        if key not in self.parts:
            before, after = (self.axes.rectangle(shape, box) for shape in (self.source_shape, self.result_shape))
            if before is None or after is None:
                return None
            source, result = self._part(self.source, before), self._part(self.result, after)
            back = tuple(-start for start in before.offset)
            for writer in writers:
                offset = shifted(static_offset(writer) or (), back)
                self.edit.add(writer, writer.opcode, writer.inputs, (source,), with_offset(writer, offset))
            details = {**self.reshape.attributes, "op_attr_validShape": result.valid_shape}
            self.edit.add(self.reshape, "RESHAPE", (source,), (result,), details)
            self.parts[key] = (result, after.offset)
        return self.parts[key]

    def _part(self, tensor: LogicalTensor, part: Region[None]) -> LogicalTensor:
        raw = self.edit.builder.raw(part.shape, tensor.dtype, tensor.raw.name, format=tensor.raw.format)
        return self.edit.builder.tensor(raw, valid_shape=valid_window(tensor.valid_shape, part.offset, part.shape))


def _edges(shape: Extents) -> list[tuple[int, int]]:
    """Per axis, the number of elements from its end on and from its beginning on: the same axis has the same in both
    shapes of a reshape."""
    products = [*_suffix_products(shape), 1]
    return list(zip(products, products[1:], strict=False))


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    parts: Parts = {}
    for operation in edit:
        if operation.opcode == "RESHAPE":
            _Splitter(edit, operation, parts).run()
    edit.drop_dead()
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
