"""Placing tiles where a memory cannot hold all that are alive: some wait in global memory, or are loaded again.

The tile whose next use is farthest away gives way. A tile that is an unchanged copy of global memory or L1 is copied
again; any other is stored to workspace first. Source:
`framework/src/passes/block_graph_pass/schedule_ooo/post_schedule/spill_engine.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..dtype import BOOL
from ..hardware import MemorySpace
from ..ir.graph import LogicalTensor, Operation, RawTensor
from .issue import pools, storages
from .manager import InvalidGraph, PassContext
from .tiles import on_chip, rewired, root

_COPIES = frozenset(
    {"COPY_IN", "L1_TO_L0A", "L1_TO_L0B", "L1_TO_L0At", "L1_TO_L0Bt", "L1_TO_BT", "L1_TO_FIX_QUANT_PRE"}
)
_NEVER = 1 << 60


def spilled(
    operations: Sequence[Operation], context: PassContext, windows: int
) -> tuple[list[Operation], dict[int, int], list[LogicalTensor]]:
    """The operations in their order with spills between them, the address of each storage, and the places in global
    memory that tiles wait in; the leaf function has `windows` windows so far."""
    placement = _Placement(operations, context, windows)
    result, addresses = placement.run()
    return result, addresses, placement.places


class _Placement:
    def __init__(self, operations: Sequence[Operation], context: PassContext, windows: int) -> None:
        self.places: list[LogicalTensor] = []
        self._windows = windows
        self._operations = list(operations)
        self._context = context
        self._pools = pools(context.target)
        self._uses: dict[int, list[int]] = {}
        self._members: dict[int, dict[int, LogicalTensor]] = {}
        self._makers: dict[int, list[int]] = {}
        for index, operation in enumerate(self._operations):
            for storage in storages(operation):
                self._uses.setdefault(storage, []).append(index)
            for tensor in (*operation.inputs, *operation.outputs):
                if on_chip(tensor):
                    self._members.setdefault(root(tensor.raw).id, {})[tensor.id] = tensor
            for tensor in operation.outputs:
                if on_chip(tensor):
                    self._makers.setdefault(root(tensor.raw).id, []).append(index)
        self._current: dict[int, RawTensor] = {}
        self._stored: dict[int, LogicalTensor] = {}
        self._addresses: dict[int, int] = {}
        self._result: list[Operation] = []
        self._index = 0

    def run(self) -> tuple[list[Operation], dict[int, int]]:
        for index, operation in enumerate(self._operations):
            self._index = index
            needed = storages(operation)
            for storage, (space, size) in needed.items():
                if not self._pools[space].holds(storage):
                    self._place(storage, space, size, set(needed))
            self._result.append(self._renamed(operation))
            for storage, (space, _) in needed.items():
                if self._next_use(storage) == _NEVER:
                    self._pools[space].free(storage)
        return self._result, self._addresses

    def _next_use(self, storage: int) -> int:
        return next((index for index in self._uses[storage] if index > self._index), _NEVER)

    def _place(self, storage: int, space: MemorySpace, size: int, keep: set[int]) -> None:
        pool = self._pools[space]
        address = pool.allocate(storage, size)
        while address is None:
            held = [other for other in self._uses if pool.holds(other) and other not in keep]
            if not held:
                raise InvalidGraph(f"{space.value} is full of the tiles of one operation")
            self._evict(max(held, key=self._next_use), space)
            address = pool.allocate(storage, size)
        self._bring_back(storage, keep)
        current = self._current.get(storage)
        self._addresses[storage if current is None else current.id] = address

    def _evict(self, storage: int, space: MemorySpace) -> None:
        if not self._is_copy(storage):
            tensor = self._whole(storage)
            if tensor.memory is not MemorySpace.UB:
                raise InvalidGraph(f"a tile in {space.value} cannot wait in global memory")
            name = f"arg{self._windows + len(self.places)}"
            place = self._context.builder.new(tensor.raw.shape, tensor.dtype, name, memory=MemorySpace.GM)
            self.places.append(place)
            self._append("COPY_OUT", self._tensor_now(tensor), place)
            self._stored[storage] = place
        self._pools[space].free(storage)

    def _is_copy(self, storage: int) -> bool:
        """Whether one operation made all of the storage, from something that is still there, and nothing changed it."""
        makers = self._makers[storage]
        return len(makers) == 1 and self._operations[makers[0]].opcode in _COPIES

    def _whole(self, storage: int) -> LogicalTensor:
        """A tensor over all of the storage."""
        some = next(iter(self._members[storage].values()))
        raw = root(some.raw)
        return self._context.builder.tensor(raw, memory=some.memory)

    def _bring_back(self, storage: int, keep: set[int]) -> None:
        made = self._makers[storage][0]
        if self._index <= made:
            return
        old = self._whole(storage).raw
        fresh = replace(old, id=self._new_id())
        if storage in self._stored:
            self._current[storage] = fresh
            self._append("COPY_IN", self._stored[storage], self._tensor_now(self._whole(storage)))
        elif self._is_copy(storage):
            copy = self._operations[made]
            for needed, (space, size) in storages(copy).items():
                if needed != storage and not self._pools[space].holds(needed):
                    self._place(needed, space, size, keep | {storage})
            self._current[storage] = fresh
            self._result.append(replace(self._renamed(copy), id=self._new_id()))

    def _append(self, opcode: str, source: LogicalTensor, target: LogicalTensor) -> None:
        origin = self._operations[self._index].origin
        self._result.append(self._context.builder.operation(opcode, (source,), (target,), origin))

    def _renamed(self, operation: Operation) -> Operation:
        tensors = {
            tensor.id: self._tensor_now(tensor)
            for tensor in (*operation.inputs, *operation.outputs)
            if on_chip(tensor) and root(tensor.raw).id in self._current
        }
        return rewired(operation, tensors)

    def _tensor_now(self, tensor: LogicalTensor) -> LogicalTensor:
        """`tensor` in the storage that its own storage lies in at the moment."""
        storage = root(tensor.raw)
        current = self._current.get(storage.id)
        if current is None:
            return tensor
        raw = current if tensor.raw is storage else replace(tensor.raw, id=self._new_id(), storage=current)
        return replace(tensor, id=self._new_id(), raw=raw)

    def _new_id(self) -> int:
        return self._context.builder.raw((), BOOL).id
