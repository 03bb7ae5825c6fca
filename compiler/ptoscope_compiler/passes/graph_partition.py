"""GraphPartition: which operations run together in one call of one core.

Operations that hand tiles to each other on chip belong together; loads go with their consumers and are repeated for
each group of consumers. Where two groups would wait for each other, they are cut at every point behind which global
memory had to be read. Source: `framework/src/passes/tile_graph_pass/graph_partition` of hicann/pypto.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

from ..ir.graph import Graph, LogicalTensor, Operation
from .manager import InvalidGraph, PassContext
from .tiles import core_kind, derived, is_load, on_chip

_Edges = list[tuple[int, int]]


class _Groups:
    """Disjoint sets over the positions of operations."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def find(self, item: int) -> int:
        while self._parents[item] != item:
            self._parents[item] = self._parents[self._parents[item]]
            item = self._parents[item]
        return item

    def join(self, left: int, right: int) -> None:
        low, high = sorted((self.find(left), self.find(right)))
        self._parents[high] = low


def run(graph: Graph, context: PassContext) -> Graph:
    """The same graph, loads repeated per group, each operation with the number of its group, in topological order."""
    operations = _one_load_per_group(graph, context)
    position = {operation.id: index for index, operation in enumerate(operations)}
    graph = derived(graph, operations)
    local, remote = _edges(graph, position)
    groups = _grouped(operations, local)
    cyclic = _cyclic(groups, local + remote, len(operations))
    if cyclic:
        depths = _depths(operations, local, remote)
        cuttable = [
            (start, end)
            for start, end in local
            if groups.find(start) not in cyclic or depths[start] == depths[end] or _inseparable(operations[start])
        ]
        groups = _grouped(operations, cuttable)
    _place_aliases(graph, groups, position)
    numbers = _numbers(groups, local + remote, len(operations))
    return derived(graph, [replace(op, subgraph=numbers[groups.find(index)]) for index, op in enumerate(operations)])


def _edges(graph: Graph, position: dict[int, int]) -> tuple[_Edges, _Edges]:
    """Producer-consumer pairs through tiles of one core, and through global memory or between kinds of core."""
    local: _Edges = []
    remote: _Edges = []
    for operation in graph.operations:
        kind = core_kind(operation)
        for tensor in operation.inputs:
            for producer in graph.producers(tensor):
                edges = local if on_chip(tensor) and core_kind(producer) is kind else remote
                edges.append((position[producer.id], position[operation.id]))
        for tensor in operation.outputs:
            if on_chip(tensor):
                first = graph.producers(tensor)[0]
                if first is not operation:
                    local.append((position[first.id], position[operation.id]))
    return local, remote


def _one_load_per_group(graph: Graph, context: PassContext) -> list[Operation]:
    position = {operation.id: index for index, operation in enumerate(graph.operations)}
    local, _ = _edges(graph, position)
    groups = _grouped(graph.operations, [edge for edge in local if not is_load(graph.operations[edge[0]])])
    substitutes: dict[tuple[int, int], LogicalTensor] = {}
    copies: dict[int, list[Operation]] = {}
    for load in graph.operations:
        if not is_load(load):
            continue
        tensor = load.outputs[0]
        consumers = {groups.find(position[consumer.id]) for consumer in graph.consumers(tensor)}
        for group in sorted(consumers)[1:]:
            copy = context.builder.tensor(
                replace(tensor.raw, id=context.builder.raw((), tensor.dtype).id),
                tensor.shape, tensor.offset, tensor.valid_shape, tensor.memory,
            )  # fmt: skip
            substitutes[group, tensor.id] = copy
            repeated = context.builder.operation(
                load.opcode, load.inputs, (copy,), load.origin, load.attributes, load.tiles, load.label
            )
            copies.setdefault(load.id, []).append(repeated)
    result: list[Operation] = []
    for operation in graph.operations:
        group = groups.find(position[operation.id])
        inputs = tuple(substitutes.get((group, tensor.id), tensor) for tensor in operation.inputs)
        result.append(replace(operation, inputs=inputs) if inputs != operation.inputs else operation)
        result.extend(copies.get(operation.id, ()))
    return result


def _grouped(operations: tuple[Operation, ...] | list[Operation], edges: _Edges) -> _Groups:
    groups = _Groups(len(operations))
    for start, end in edges:
        groups.join(start, end)
    return groups


def _inseparable(operation: Operation) -> bool:
    """Whether the result cannot wait in global memory: operands of the cube have no way back."""
    return (
        core_kind(operation) is not None
        and operation.outputs[0].memory is not None
        and (operation.outputs[0].memory.value in ("L0A", "L0B", "L1", "BT", "FB", "L0A_MX", "L0B_MX"))
    )


def _cyclic(groups: _Groups, edges: _Edges, size: int) -> set[int]:
    """The groups that lie on or behind a cycle."""
    waiting, followers = _graph_of_groups(groups, edges, size)
    ready = [group for group, count in waiting.items() if not count]
    while ready:
        group = ready.pop()
        del waiting[group]
        for follower in followers.get(group, ()):
            waiting[follower] -= 1
            if not waiting[follower]:
                ready.append(follower)
    return set(waiting)


def _graph_of_groups(groups: _Groups, edges: _Edges, size: int) -> tuple[dict[int, int], dict[int, set[int]]]:
    waiting = {groups.find(index): 0 for index in range(size)}
    followers: dict[int, set[int]] = {}
    for start, end in edges:
        source, target = groups.find(start), groups.find(end)
        if source != target and target not in followers.setdefault(source, set()):
            followers[source].add(target)
            waiting[target] += 1
    return waiting, followers


def _depths(operations: list[Operation], local: _Edges, remote: _Edges) -> list[int]:
    """How many passes through global memory lie before each operation."""
    incoming: dict[int, list[tuple[int, int]]] = {}
    for edges, weight in ((local, 0), (remote, 1)):
        for start, end in edges:
            incoming.setdefault(end, []).append((start, weight))
    depths = [0] * len(operations)
    for index in range(len(operations)):
        depths[index] = max((depths[start] + weight for start, weight in incoming.get(index, ())), default=0)
    return depths


def _place_aliases(graph: Graph, groups: _Groups, position: dict[int, int]) -> None:
    """Put views within global memory, which need no core, into the one group that makes or uses them, if it is one."""
    for operation in graph.operations:
        if core_kind(operation) is not None or operation.attribute("op_attr_isInplace"):
            continue
        before = {groups.find(position[p.id]) for tensor in operation.inputs for p in graph.producers(tensor)}
        after = {groups.find(position[c.id]) for tensor in operation.outputs for c in graph.consumers(tensor)}
        neighbours = before if len(before) == 1 else after if not before and len(after) == 1 else set()
        for neighbour in neighbours:
            groups.join(neighbour, position[operation.id])


def _numbers(groups: _Groups, edges: _Edges, size: int) -> dict[int, int]:
    """A number per group, in a topological order that follows the order of operations where it can."""
    waiting, followers = _graph_of_groups(groups, edges, size)
    ready = [group for group, count in waiting.items() if not count]
    heapq.heapify(ready)
    numbers: dict[int, int] = {}
    while ready:
        group = heapq.heappop(ready)
        numbers[group] = len(numbers)
        for follower in followers.get(group, ()):
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, follower)
    if len(numbers) != len(waiting):
        raise InvalidGraph("GraphPartition left groups that wait for each other")
    return numbers


def verify(graph: Graph, context: PassContext) -> None:
    """Every operation has a group, and no group needs two kinds of core."""
    kinds: dict[int, set[object]] = {}
    for operation in graph.operations:
        if operation.subgraph < 0:
            raise InvalidGraph(f"{operation.opcode} has no group after GraphPartition")
        kind = core_kind(operation)
        if kind is not None:
            kinds.setdefault(operation.subgraph, set()).add(kind)
    for number, kinds_of_group in kinds.items():
        if len(kinds_of_group) > 1:
            raise InvalidGraph(f"group {number} needs both kinds of core")
