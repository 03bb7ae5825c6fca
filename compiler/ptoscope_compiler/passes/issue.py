"""Issuing the operations of a leaf function on the pipes of its core, cycle by cycle.

Memory is allocated ahead, in the order in which operations are wanted; an operation starts when all it waits for has
ended, its tiles are allocated and its pipe is free. Source: `ScheduleMainLoop` in
`framework/src/passes/block_graph_pass/schedule_ooo/post_schedule/ooo_scheduler.cpp` of hicann/pypto.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence

from ..hardware import MemorySpace, Pipe
from ..ir.graph import Operation
from ..targets import Target
from .buffer_pool import BufferPool
from .operation_order import Dependencies
from .pipes import latency, pipe_of
from .tiles import on_chip, raw_bytes, root

_PIPES = (Pipe.S, Pipe.V, Pipe.M, Pipe.MTE1, Pipe.MTE2, Pipe.MTE3, Pipe.FIX)


class Blocked(Exception):
    """A memory is full, and no running operation will free any of it."""


def pools(target: Target) -> dict[MemorySpace, BufferPool]:
    """An empty pool per memory of a core."""
    return {
        space: BufferPool(space, target.usable(space), target.alignment(space))
        for space in MemorySpace
        if space is not MemorySpace.GM
    }


def storages(operation: Operation) -> dict[int, tuple[MemorySpace, int]]:
    """Memory and bytes of each storage on chip that an operation touches."""
    return {
        root(tensor.raw).id: (tensor.memory or MemorySpace.GM, raw_bytes(root(tensor.raw)))
        for tensor in (*operation.inputs, *operation.outputs)
        if on_chip(tensor)
    }


class Issue:
    """One run over the operations of a leaf function; `order` lists their positions as they are wanted."""

    def __init__(
        self, operations: Sequence[Operation], edges: Dependencies, order: Sequence[int], target: Target
    ) -> None:
        self._operations = operations
        self._edges = edges
        self._order = order
        self._rank = {index: position for position, index in enumerate(order)}
        self._pools = pools(target)
        self._storages = [storages(operation) for operation in operations]
        self._addresses: dict[int, int] = {}
        self._users: dict[int, int] = {}
        self._wanted: dict[MemorySpace, deque[tuple[int, int, int]]] = {}
        self._missing = [len(waits) for waits in edges.before]
        self._ready: dict[Pipe, list[tuple[int, int]]] = {pipe: [] for pipe in _PIPES}
        self._waiting_for: dict[int, list[int]] = {}
        self._issued: list[Operation] = []
        self._prepare()

    def _prepare(self) -> None:
        for index in self._order:
            for storage, (space, size) in self._storages[index].items():
                self._users[storage] = self._users.get(storage, 0) + 1
                self._waiting_for.setdefault(storage, []).append(index)
                if self._users[storage] == 1:
                    self._wanted.setdefault(space, deque()).append((self._rank[index], storage, size))
            self._missing[index] += len(self._storages[index])

    def run(self) -> tuple[list[Operation], dict[int, int]]:
        """The operations in the order of issue, and the address of each storage; Blocked where memory runs out."""
        running: list[tuple[int, int, int]] = []
        busy: set[Pipe] = set()
        clock = 0
        for index in self._order:
            if not self._missing[index]:
                self._push(index)
        self._allocate()
        while len(self._issued) < len(self._operations) or running:
            for pipe in _PIPES:
                if pipe not in busy and self._ready[pipe]:
                    index = heapq.heappop(self._ready[pipe])[1]
                    self._issued.append(self._operations[index])
                    busy.add(pipe)
                    heapq.heappush(running, (clock + latency(self._operations[index]), _PIPES.index(pipe), index))
            if not running:
                raise Blocked
            clock = running[0][0]
            while running and running[0][0] == clock:
                _, pipe_index, index = heapq.heappop(running)
                busy.discard(_PIPES[pipe_index])
                self._retire(index)
            self._allocate()
        return self._issued, self._addresses

    def _push(self, index: int) -> None:
        pipe = pipe_of(self._operations[index]) or Pipe.S
        heapq.heappush(self._ready[pipe], (self._rank[index], index))

    def _satisfy(self, index: int) -> None:
        self._missing[index] -= 1
        if not self._missing[index]:
            self._push(index)

    def _allocate(self) -> None:
        for space, queue in self._wanted.items():
            while queue:
                _, storage, size = queue[0]
                address = self._pools[space].allocate(storage, size)
                if address is None:
                    break
                queue.popleft()
                self._addresses[storage] = address
                for index in self._waiting_for[storage]:
                    self._satisfy(index)

    def _retire(self, index: int) -> None:
        for storage, (space, _) in self._storages[index].items():
            self._users[storage] -= 1
            if not self._users[storage]:
                self._pools[space].free(storage)
        for other in self._edges.after[index]:
            self._satisfy(other)
