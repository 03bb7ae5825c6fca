"""InsertSync: flags between pipes, and barriers within one, so that no operation starts before what it waits for ends.

A wait that an earlier wait implies is left out. A flag is reused only when its setter is known to be behind its last
wait. Source: `framework/src/passes/block_graph_pass/insert_sync.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..hardware import Pipe
from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import Operation
from ..origin import Origin
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext
from .physical import conflicts
from .pipes import pipe_of

EVENTS = range(1, 8)
BARRIERS = {Pipe.V: "BAR.V", Pipe.M: "BAR.M"}
_PREFETCHED = 2
_Clock = dict[Pipe, int]


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph with SYNC_SRC, SYNC_DST and BAR.* (`sync` is source, target and event), and PHASE markers."""

    def synchronised(leaf: LeafFunction) -> list[Operation]:
        operations = leaf.graph.operations
        return _with_phases(_Emission(operations, _Plan(operations), context).run(), context)

    return map_leaves(state, synchronised)


def _with_phases(operations: Sequence[Operation], context: PassContext) -> list[Operation]:
    """PHASE1 before the first load, PHASE2 behind the loads that may run before the calls waited for are complete."""
    result: list[Operation] = []
    loads = 0
    for index, operation in enumerate(operations):
        pipe = pipe_of(operation)
        if loads == _PREFETCHED or (pipe not in (None, Pipe.MTE2) and operation.opcode != "VEC_DUP"):
            if loads:
                result.append(_marker("PHASE2", operation.origin, context))
            return result + list(operations[index:])
        if pipe is Pipe.MTE2:
            if not loads:
                result.append(_marker("PHASE1", operation.origin, context))
            loads += 1
        result.append(operation)
    return result if not loads else [*result, _marker("PHASE2", operations[-1].origin, context)]


def _marker(opcode: str, origin: Origin, context: PassContext, **attributes: object) -> Operation:
    return context.builder.operation(opcode, (), (), origin, attributes)


@dataclass(slots=True)
class _Plan:
    """What each operation, by position, must wait for, and what its pipe knows to have ended when it starts."""

    operations: Sequence[Operation]
    pipes: list[Pipe | None] = field(init=False)
    waits: list[list[int]] = field(init=False)
    barriers: set[int] = field(init=False)
    known: list[_Clock] = field(init=False)

    def __post_init__(self) -> None:
        self.pipes = [pipe_of(operation) for operation in self.operations]
        self.waits = [[] for _ in self.operations]
        self.barriers = set()
        self.known = []
        before = conflicts(self.operations)
        clocks: dict[Pipe, _Clock] = {}
        for index, pipe in enumerate(self.pipes):
            if pipe is None:
                self.known.append({})
                continue
            clock = dict(clocks.get(pipe, {}))
            for other in sorted(before[index], reverse=True):
                self._wait(index, other, clock)
            clocks[pipe] = clock
            self.known.append(clock)

    def _wait(self, index: int, other: int, clock: _Clock) -> None:
        source, target = self.pipes[other], self.pipes[index]
        if source is None or target is None or clock.get(source, -1) >= other:
            return
        if source is target:
            if target in BARRIERS:
                self.barriers.add(index)
                clock[target] = index - 1
            return
        self.waits[index].append(other)
        clock[source] = other
        for pipe, past in self.known[other].items():
            clock[pipe] = max(clock.get(pipe, -1), past)


@dataclass(slots=True)
class _Flag:
    """A flag in use: set behind `producer`, to be taken before `consumer`."""

    event: int
    producer: int
    consumer: int
    origin: Origin


class _Emission:
    """Writes the operations with their synchronisation, and hands out events."""

    def __init__(self, operations: Sequence[Operation], plan: _Plan, context: PassContext) -> None:
        self._operations, self._plan, self._context = operations, plan, context
        self._targets: list[list[int]] = [[] for _ in operations]
        for index, waits in enumerate(plan.waits):
            for other in waits:
                self._targets[other].append(index)
        self._open: dict[tuple[Pipe, Pipe], list[_Flag]] = {}
        self._free: dict[tuple[Pipe, Pipe], list[int]] = {}
        self._taken_at: dict[tuple[Pipe, Pipe, int], int] = {}
        self._caught_up = -1
        self._result: list[Operation] = []

    def run(self) -> list[Operation]:
        for index, operation in enumerate(self._operations):
            for other in sorted(self._plan.waits[index]):
                self._take(other, index)
            if index in self._plan.barriers:
                pipe = self._plan.pipes[index]
                assert pipe is not None
                self._emit(BARRIERS[pipe], operation.origin, pipe, pipe, -1)
            self._result.append(operation)
            for consumer in self._targets[index]:
                self._set(index, consumer)
        return self._result

    def _pair(self, producer: int, consumer: int) -> tuple[Pipe, Pipe]:
        source, target = self._plan.pipes[producer], self._plan.pipes[consumer]
        assert source is not None and target is not None
        return source, target

    def _set(self, producer: int, consumer: int) -> None:
        source, target = pair = self._pair(producer, consumer)
        origin = self._operations[producer].origin
        free = self._free.setdefault(pair, list(EVENTS))
        if not free:
            self._take_early(pair, producer)
        event = next((event for event in free if self._is_safe(pair, event, producer)), None)
        if event is None:
            self._catch_up(producer, origin)
            event = free[0]
        free.remove(event)
        self._open.setdefault(pair, []).append(_Flag(event, producer, consumer, self._operations[consumer].origin))
        self._emit("SYNC_SRC", origin, source, target, event)

    def _is_safe(self, pair: tuple[Pipe, Pipe], event: int, producer: int) -> bool:
        """Whether the setting pipe knows that the last token of this event has been taken."""
        source, target = pair
        taken = self._taken_at.get((source, target, event), -1)
        known = max(self._plan.known[producer].get(target, -1), self._caught_up)
        return known >= taken

    def _catch_up(self, producer: int, origin: Origin) -> None:
        """Let every pipe wait for all that has been given out so far."""
        self._emit("BAR.ALL", origin, Pipe.ALL, Pipe.ALL, -1)
        self._caught_up = producer + 1

    def _take_early(self, pair: tuple[Pipe, Pipe], producer: int) -> None:
        """Take the oldest token now, where every event of a pair is in use."""
        self._close(pair, self._open[pair][0], producer + 1)

    def _take(self, producer: int, consumer: int) -> None:
        pair = self._pair(producer, consumer)
        for flag in self._open.get(pair, ()):
            if (flag.producer, flag.consumer) == (producer, consumer):
                self._close(pair, flag, consumer)
                return

    def _close(self, pair: tuple[Pipe, Pipe], flag: _Flag, at: int) -> None:
        source, target = pair
        self._open[pair].remove(flag)
        self._free[pair].append(flag.event)
        self._taken_at[source, target, flag.event] = at
        self._emit("SYNC_DST", flag.origin, source, target, flag.event)

    def _emit(self, opcode: str, origin: Origin, source: Pipe, target: Pipe, event: int) -> None:
        self._result.append(_marker(opcode, origin, self._context, sync=(source, target, event)))


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """Every flag that is set is taken, in turn."""
    for leaf in state.leaves.values():
        tokens: dict[object, int] = {}
        for key, change in _tokens(leaf.graph.operations):
            tokens[key] = tokens.get(key, 0) + change
            if tokens[key] not in (0, 1):
                raise InvalidGraph(f"flag {key} of {leaf.name} is not set and taken in turn")
        if any(tokens.values()):
            raise InvalidGraph(f"{leaf.name} ends with a flag set")


def _tokens(operations: Iterable[Operation]) -> Iterable[tuple[object, int]]:
    for operation in operations:
        if operation.opcode in ("SYNC_SRC", "SYNC_DST"):
            yield operation.attributes["sync"], 1 if operation.opcode == "SYNC_SRC" else -1
