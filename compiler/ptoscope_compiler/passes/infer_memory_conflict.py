"""Pass 03, InferMemoryConflict: copies where chains of aliasing operations would give one tensor two places in memory.

VIEW, ASSEMBLE, RESHAPE and the like do not compute: what they make lies where their operand lies. Memory is followed
from the inputs forwards and from the outputs backwards; where both meet, or a reshape changes the size of the storage,
a REGISTER_COPY goes in between. Source: `framework/src/passes/tensor_graph_pass/infer_memory_conflict.cpp` of
hicann/pypto.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..ir.graph import Graph, LogicalTensor, Operation, RawTensor
from ..scalar import ScalarLike, known
from .check import check_structure
from .edit import Edit
from .manager import PassContext
from .windows import static_shape

_ALIASING = frozenset({"VIEW", "ASSEMBLE", "RESHAPE", "INDEX_OUTCAST", "VIEW_TYPE", "ATOMIC_RMW"})
_ASSEMBLING = frozenset({"ASSEMBLE", "ATOMIC_RMW"})
_TRACEABLE = _ALIASING - {"INDEX_OUTCAST"}
_PRODUCTS = frozenset({"A_MUL_B", "A_MULACC_B"})
_SUMS = frozenset({"ADD", "REDUCE_ACC"})
_TARGET_OF_UPDATE = 2
"""Which input of INDEX_OUTCAST its output lies in."""
_LARGEST_TILE = 16384
_LEAST_TAIL = 32


class _Conflicts:
    def __init__(self, graph: Graph, context: PassContext) -> None:
        self.graph = graph
        self.edit = Edit(graph, context.builder)
        self.builder = context.builder
        self.memory: dict[int, LogicalTensor] = {tensor.id: tensor for tensor in (*graph.inputs, *graph.outputs)}
        self.outputs = {tensor.raw.id for tensor in graph.outputs}
        self.inputs = {tensor.raw.id for tensor in graph.inputs}
        self.copies_before: dict[int, Operation] = {}
        self.copies_after: dict[int, Operation] = {}

    def run(self) -> Graph:
        self._forwards()
        self._backwards()
        for operation in self.copies_before.values():
            self._copy_before(operation)
        for operation in self.copies_after.values():
            self._copy_after(operation)
        return self.edit.finish()

    def _forwards(self) -> None:
        waiting = deque(self.graph.inputs)
        while waiting:
            tensor = waiting.popleft()
            for reader in self.edit.consumers(tensor):
                if self._passes_on(reader) and not self._is_other_input(reader, tensor):
                    waiting.extend(self._forward(tensor, reader))

    def _forward(self, tensor: LogicalTensor, reader: Operation) -> Iterable[LogicalTensor]:
        for output in reader.outputs:
            if self._resizes(reader, self.memory[tensor.id], output, (reader.inputs[0], output)):
                self.copies_before[reader.id] = reader
                continue
            held = self.memory.get(output.id)
            if held is not None and held.raw.id in self.outputs:
                if not self._copy_branches(tensor, held, reader) and _conflict(self.memory[tensor.id], held):
                    self.copies_before[reader.id] = reader
                continue
            source = tensor
            if reader.opcode == "INDEX_OUTCAST":
                source = reader.inputs[_TARGET_OF_UPDATE]
            self.memory[output.id] = self.memory.get(source.id, source)
            yield output

    def _backwards(self) -> None:
        waiting = deque(self.graph.outputs)
        while waiting:
            tensor = waiting.popleft()
            for writer in self.edit.producers(tensor):
                if self._passes_on(writer):
                    waiting.extend(self._backward(tensor, writer))

    def _backward(self, tensor: LogicalTensor, writer: Operation) -> Iterable[LogicalTensor]:
        output = writer.outputs[0]
        for source in writer.inputs:
            if self._is_other_input(writer, source) or source.raw.id in self.outputs:
                continue
            if self._resizes(writer, source, self.memory[tensor.id], (writer.inputs[0], output)):
                self.copies_after[writer.id] = writer
            elif source.id in self.memory:
                self._meet(tensor, source, writer)
            else:
                self.memory[source.id] = self.memory[tensor.id]
                yield source

    def _meet(self, tensor: LogicalTensor, source: LogicalTensor, writer: Operation) -> None:
        """Memory from both ends: copy unless it is the same."""
        held = self.memory[tensor.id]
        if self._copy_branches(source, held, writer) or not _conflict(held, self.memory[source.id]):
            return
        if writer.opcode == "RESHAPE" and not self._is_batch_pattern(source, writer.outputs[0]):
            self.copies_after[writer.id] = writer
        else:
            self.copies_before[writer.id] = writer

    def _passes_on(self, operation: Operation) -> bool:
        if operation.opcode not in _ALIASING:
            return False
        return operation.opcode not in _ASSEMBLING or not any(
            writer.opcode == "INDEX_OUTCAST" for writer in self.edit.producers(operation.inputs[0])
        )

    def _is_other_input(self, operation: Operation, tensor: LogicalTensor) -> bool:
        target = operation.inputs[_TARGET_OF_UPDATE] if operation.opcode == "INDEX_OUTCAST" else tensor
        return target.id != tensor.id

    def _resizes(
        self,
        operation: Operation,
        source: LogicalTensor,
        target: LogicalTensor,
        ends: tuple[LogicalTensor, LogicalTensor],
    ) -> bool:
        """Whether a reshape cannot alias because the storage on its two sides differs in size."""
        if operation.opcode != "RESHAPE" or operation.attribute("op_attr_isInplace", False):
            return False
        return _sizes_differ(source.raw, target.raw) and not self._is_batch_pattern(*ends)

    def _is_batch_pattern(self, source: LogicalTensor, target: LogicalTensor) -> bool:
        """Reshapes that only drop or add leading axes of size 1 around a matrix product need no copy."""
        if any(_unknown(tensor.shape[1:]) for tensor in (*self.graph.inputs, *self.graph.outputs)):
            return False
        if _unknown(source.raw.shape) or _unknown(target.raw.shape) or not self._is_around_product(source, target):
            return False
        longer, shorter = sorted((source.shape, target.shape), key=len, reverse=True)
        dropped = len(longer) - len(shorter)
        pair = (len(longer), len(shorter))
        leads = pair in {(4, 2), (3, 2), (4, 3), (5, 3)} and all(size == 1 for size in longer[:dropped])
        return leads and tuple(longer[dropped:]) == tuple(shorter)

    def _is_around_product(self, source: LogicalTensor, target: LogicalTensor) -> bool:
        writers, readers = self.edit.producers(source), self.edit.consumers(target)
        if not writers or not readers:
            return False
        writer = writers[0]
        if writer.opcode == "VIEW":
            products = [reader for reader in readers if reader.opcode in _PRODUCTS]
            if products and self.edit.writers(products[0].inputs[0]) == 1:
                return True
            return all(reader.opcode == "VIEW" for reader in readers)
        if writer.opcode not in _PRODUCTS | _SUMS or self.edit.readers(writer.outputs[0]) != 1:
            return False
        return all(reader.opcode in _ASSEMBLING for reader in readers)

    def _copy_branches(self, tensor: LogicalTensor, other: LogicalTensor, final: Operation) -> bool:
        """Where several assembles make `tensor` and only some bring foreign memory, copy those branches alone."""
        if final.opcode not in _ASSEMBLING:
            return False
        writers = [writer for writer in self.edit.producers(tensor) if writer.opcode in _ASSEMBLING]
        if len(writers) <= 1:
            return False
        foreign = [
            writer for writer in writers if any(_conflict(source, other) for source in self._sources(writer, set()))
        ]
        if not foreign or len(foreign) == len(writers):
            return False
        self.copies_before.update({writer.id: writer for writer in foreign})
        return True

    def _sources(self, operation: Operation, visited: set[int]) -> list[LogicalTensor]:
        if operation.opcode not in _TRACEABLE or operation.id in visited:
            return []
        visited.add(operation.id)
        found: list[LogicalTensor] = []
        for tensor in operation.inputs:
            if tensor.raw.id in self.inputs:
                found.append(tensor)
            else:
                for writer in self.edit.producers(tensor):
                    found.extend(self._sources(writer, visited))
        return found

    def _copy(self, tensor: LogicalTensor) -> LogicalTensor:
        raw = self.builder.raw(tensor.shape, tensor.dtype, format=tensor.raw.format)
        return self.builder.tensor(raw, valid_shape=tensor.valid_shape)

    def _copy_before(self, operation: Operation) -> None:
        current = self.edit.current(operation)
        source = current.inputs[0]
        copy = self._copy(source)
        wanted = operation.tiles.vector if operation.opcode == "RESHAPE" else None
        tile = _tile(source, self.edit.producers(source), wanted)
        made = self.edit.add(current, "REGISTER_COPY", (source,), (copy,), {})
        self.edit.change(made, tiles=replace(made.tiles, vector=tile))
        self.edit.change(current, inputs=(copy, *current.inputs[1:]))

    def _copy_after(self, operation: Operation) -> None:
        current = self.edit.current(operation)
        target = current.outputs[0]
        copy = self._copy(target)
        readers = self.edit.consumers(target)
        wanted = readers[0].tiles.vector if readers and _parent(self.edit.producers(current.inputs[0])) else None
        tile = _tile(target, readers, wanted)
        made = self.edit.add(current, "REGISTER_COPY", (copy,), (target,), {})
        self.edit.change(made, tiles=replace(made.tiles, vector=tile))
        self.edit.change(current, outputs=(copy, *current.outputs[1:]))


def _conflict(left: LogicalTensor, right: LogicalTensor) -> bool:
    if left.raw is right.raw:
        return False
    return not left.raw.name or left.raw.name != right.raw.name


def _unknown(shape: Sequence[ScalarLike]) -> bool:
    return not all(known(size) for size in shape)


def _sizes_differ(source: RawTensor, target: RawTensor) -> bool:
    """Whether two storages provably or possibly differ in size."""
    left, right = static_shape(source.shape), static_shape(target.shape)
    if left is None or right is None:
        return True
    return math.prod(left) * source.dtype.bytes != math.prod(right) * target.dtype.bytes


def _parent(operations: Sequence[Operation]) -> tuple[int, ...] | None:
    """The tile of the only neighbour."""
    return operations[0].tiles.vector if len(operations) == 1 else None


def _tile(tensor: LogicalTensor, neighbours: Sequence[Operation], wanted: tuple[int, ...] | None) -> tuple[int, ...]:
    """The tile of a copy: that of its only neighbour, else the one wanted, else a large one of powers of two."""
    for tile in (_parent(neighbours), wanted):
        if tile is not None and len(tile) == tensor.rank:
            return tile
    last = tensor.shape[-1]
    tile_sizes = [_LEAST_TAIL if known(last) and last < _LEAST_TAIL else _power_of_two(last)]  # type: ignore[operator]
    room = _LARGEST_TILE
    tile_sizes[0] = min(room, tile_sizes[0])
    for size in reversed(tensor.shape[:-1]):
        room //= tile_sizes[0]
        tile_sizes.insert(0, max(1, min(room, _power_of_two(size))))
    return tuple(tile_sizes)


def _power_of_two(size: ScalarLike) -> int:
    return 1 << (size - 1).bit_length() if isinstance(size, int) and size > 1 else 1


def run(graph: Graph, context: PassContext) -> Graph:
    return _Conflicts(graph, context).run()


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
