"""What the operations of a leaf function wait for, and the order that keeps few tiles alive.

Depth first from the results: an operation comes as soon as all it needs is there, loads last. Source:
`framework/src/passes/block_graph_pass/schedule_ooo/pre_schedule/prior_dfs_sort.cpp` of hicann/pypto.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.graph import Operation
from .accesses import History, accesses
from .tiles import on_chip

_FEEDS_CUBE, _LOAD, _ORDINARY = 1, 2, 10
_LOADS = frozenset({"COPY_IN", "L1_COPY_UB", "L0C_COPY_UB", "UB_COPY_L1"})
_ASSEMBLE, _STORE, _NORMAL = 0, 2, 3
_MANY_RESULTS = 64


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Per operation, by position: what it waits for and what waits for it."""

    before: list[list[int]]
    after: list[list[int]]


def dependencies(operations: Sequence[Operation]) -> Dependencies:
    """Read after write, write after read and write after write, over memory as it is aliased."""
    history = History()
    before = [sorted(history.order(index, accesses(operation))) for index, operation in enumerate(operations)]
    after: list[list[int]] = [[] for _ in operations]
    for index, waits in enumerate(before):
        for other in waits:
            after[other].append(index)
    return Dependencies(before, after)


def depth_first(operations: Sequence[Operation], edges: Dependencies) -> list[int]:
    """Positions of `operations` in the order in which they should run."""
    depths = [0] * len(operations)
    for index, waits in enumerate(edges.before):
        depths[index] = 1 + max((depths[other] for other in waits), default=0)
    ranks = [(_priority(operation), depths[index], -index) for index, operation in enumerate(operations)]
    visited = [False] * len(operations)
    order: list[int] = []
    results = _grouped_by_source(edges, depths)
    while results:
        result = results[0] if not order else _cheapest(results, edges, visited)
        _visit(result, edges, ranks, visited, order)
        results = [other for other in results if not visited[other]]
    return _promoted(operations, edges, order)


def _priority(operation: Operation) -> int:
    if operation.opcode.startswith("L1_TO_"):
        return _FEEDS_CUBE
    return _LOAD if operation.opcode in _LOADS else _ORDINARY


def _grouped_by_source(edges: Dependencies, depths: list[int]) -> list[int]:
    """Operations that nothing waits for: those whose longest chain starts at the same place together, deepest first."""
    groups: dict[int, int] = {}
    keyed: list[tuple[int, int, int]] = []
    for index, waiting in enumerate(edges.after):
        if waiting:
            continue
        source = index
        while edges.before[source]:
            source = max(edges.before[source], key=lambda other: depths[other])
        keyed.append((groups.setdefault(source, len(groups)), -depths[index], index))
    return [index for _, _, index in sorted(keyed)]


def _cheapest(results: list[int], edges: Dependencies, visited: list[bool]) -> int:
    """The result that needs the fewest operations more."""
    if len(results) > _MANY_RESULTS:
        return results[0]
    return min(results, key=lambda result: _missing(result, edges, visited))


def _missing(result: int, edges: Dependencies, visited: list[bool]) -> int:
    seen: set[int] = set()
    stack = [result]
    while stack:
        for other in edges.before[stack.pop()]:
            if not visited[other] and other not in seen:
                seen.add(other)
                stack.append(other)
    return len(seen)


def _visit(
    result: int, edges: Dependencies, ranks: list[tuple[int, int, int]], visited: list[bool], order: list[int]
) -> None:
    stack = [result]
    while stack:
        current = stack[-1]
        if visited[current]:
            stack.pop()
            continue
        waits = [other for other in edges.before[current] if not visited[other]]
        if waits:
            stack.extend(sorted(waits, key=lambda other: ranks[other]))
            continue
        stack.pop()
        visited[current] = True
        order.append(current)


def _promoted(operations: Sequence[Operation], edges: Dependencies, order: list[int]) -> list[int]:
    """`order` with assembles and stores as early as what they wait for allows."""
    place = {index: position for position, index in enumerate(order)}
    waiting = [len(waits) for waits in edges.before]
    ready = [(_promotion(operations[index]), place[index], index) for index in order if not waiting[index]]
    heapq.heapify(ready)
    result: list[int] = []
    while ready:
        index = heapq.heappop(ready)[2]
        result.append(index)
        for other in edges.after[index]:
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, (_promotion(operations[other]), place[other], other))
    return result


def _promotion(operation: Operation) -> int:
    if operation.opcode == "ASSEMBLE":
        return _ASSEMBLE
    stores = operation.opcode == "COPY_OUT" and not on_chip(operation.outputs[0])
    return _STORE if stores else _NORMAL
