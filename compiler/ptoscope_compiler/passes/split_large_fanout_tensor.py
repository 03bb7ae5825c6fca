"""Pass 09, SplitLargeFanoutTensor: a tensor that is assembled from tiles and read by tiles is split between them.

Readers then wait only for the tiles they use. The pieces have the least common multiple of the written and the read
tile shapes. Source: `framework/src/passes/tile_graph_pass/graph_optimization/split_large_fanout_tensor.cpp` of
hicann/pypto.
"""

from __future__ import annotations

from itertools import product
from math import lcm, prod

from ..ir.graph import Graph, LogicalTensor, Operation
from .check import check_structure
from .contract_slice import fold_contract_slice
from .edit import Edit
from .manager import PassContext
from .merge_view_assemble import merge_moves
from .moves import is_assemble, is_view, static_offset, with_offset
from .regions import Extents, Region, RegionIndex
from .windows import shifted, static_shape, valid_window


class _Splitter:
    """The splitting of one tensor into pieces."""

    def __init__(self, edit: Edit, tensor: LogicalTensor, slices: bool) -> None:
        self.edit, self.tensor, self.slices = edit, tensor, slices
        self.shape = static_shape(tensor.shape) or ()
        writers, readers = edit.producers(tensor), edit.consumers(tensor)
        self.written = RegionIndex(_regions(writers, written=True))
        self.read = RegionIndex(_regions([reader for reader in readers if is_view(reader)], written=False))
        self.mixed = not all(is_view(reader) for reader in readers)
        self.moved: set[int] = set()
        """Readers that already read a piece."""
        self.possible = bool(self.shape) and len(self.written.regions) == len(writers)

    def run(self) -> None:
        zero = (0,) * len(self.shape)
        fits = all(region.within(zero, self.shape) for region in self.written.regions)
        if not self.possible or not fits or self.written.overlapping_starts or not self.read.regions:
            return
        starts = [
            sorted(self.written.boundaries(axis, extent) | self.read.boundaries(axis, extent))
            for axis, extent in enumerate(self.shape)
        ]
        for piece in self._piece_shapes():
            for offset in product(*starts):
                rest = (extent - start for extent, start in zip(self.shape, offset, strict=True))
                self._piece(offset, tuple(map(min, piece, rest)))

    def _piece_shapes(self) -> list[Extents]:
        """Least common multiples of written and read tile shapes, the smallest first."""
        whole_is_useless = len(self.written.regions) > 1
        shapes: dict[Extents, None] = {}
        written = sorted({region.shape for region in self.written.regions})
        read = sorted({region.shape for region in self.read.regions})
        for one, other in product(written, read):
            shape = tuple(min(lcm(a, b), extent) for a, b, extent in zip(one, other, self.shape, strict=True))
            if shape != self.shape or not whole_is_useless:
                shapes[shape] = None
        return sorted(shapes, key=prod)

    def _piece(self, offset: Extents, shape: Extents) -> None:
        """Route the readers within a piece to the writers that fill it, if there are both."""
        writers = self.written.inside(offset, shape)
        readers = self.read.inside(offset, shape)
        if not readers or sum(prod(writer.shape) for writer in writers) != prod(shape):
            return
        if len(writers) > 1:
            if self.mixed:
                return
            writers = [writer for writer in writers if any(writer.meets(reader) for reader in readers)]
        readers = [reader for reader in readers if reader.item.id not in self.moved]
        if not readers and len(writers) > 1:
            return
        if self.slices or len(writers) > 1:
            self._route(offset, shape, writers, readers)
        else:
            for reader in readers:
                self._route(offset, shape, writers, [reader])

    def _route(
        self, offset: Extents, shape: Extents, writers: list[Region[Operation]], readers: list[Region[Operation]]
    ) -> None:
        if not readers:
            return
        tensor, builder = self.tensor, self.edit.builder
        raw = builder.raw(shape, tensor.dtype, tensor.raw.name, format=tensor.raw.format)
        piece = builder.tensor(raw, valid_shape=valid_window(tensor.valid_shape, offset, shape))
        back = tuple(-start for start in offset)
        for writer in writers:
            details = with_offset(writer.item, shifted(writer.offset, back))
            opcode = writer.item.opcode if self.slices else "ASSEMBLE"
            self.edit.add(writer.item, opcode, writer.item.inputs, (piece,), details)
        for reader in readers:
            details = with_offset(reader.item, shifted(reader.offset, back))
            self.edit.change(reader.item, inputs=(piece,), attributes=details)
            self.moved.add(reader.item.id)


def _regions(operations: list[Operation], written: bool) -> list[Region[Operation]]:
    """The windows of moves whose place and size are known now."""
    regions = []
    for operation in operations:
        offset = static_offset(operation)
        shape = static_shape((operation.inputs if written else operation.outputs)[0].shape)
        if offset is not None and shape is not None:
            regions.append(Region(offset, shape, operation))
    return regions


def _candidates(edit: Edit) -> list[LogicalTensor]:
    """Tensors that are assembled only, and read by a view."""
    tensors = {operation.outputs[0].id: operation.outputs[0] for operation in edit if is_assemble(operation)}
    return [
        tensor
        for tensor in tensors.values()
        if any(is_view(reader) for reader in edit.consumers(tensor))
        and all(is_assemble(writer) for writer in edit.producers(tensor))
    ]


def _drop_unread(edit: Edit) -> None:
    """Remove assembles into tensors that nobody reads."""
    for operation in edit:
        if is_assemble(operation):
            result = operation.outputs[0]
            if not edit.is_output(result) and not edit.readers(result):
                edit.remove(operation)


def _bypass_single_assembles(edit: Edit) -> None:
    """input -> ASSEMBLE -> VIEW with storage of one size on both sides: the VIEW reads the input itself."""
    for operation in edit:
        if operation.opcode != "ASSEMBLE":
            continue
        source, result = operation.inputs[0], operation.outputs[0]
        if edit.is_output(result) or edit.writers(result) != 1 or edit.readers(result) != 1:
            continue
        same = source.raw.shape == result.raw.shape and source.shape == result.shape
        if edit.consumers(result)[0].opcode == "VIEW" and same:
            edit.redirect(result, source)
            edit.remove(operation)


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    slices = bool(context.option("enable_slice", False))
    for tensor in _candidates(edit):
        _Splitter(edit, tensor, slices).run()
    _drop_unread(edit)
    _bypass_single_assembles(edit)
    if slices:
        fold_contract_slice(edit)
    merge_moves(edit)
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
