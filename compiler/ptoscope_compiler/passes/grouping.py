"""Groups of a partitioned graph, and running several of them as one.

Groups that lie equally deep in the graph of groups never wait for each other, so any of them may be merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..hardware import CoreKind
from ..ir.graph import Graph, Operation
from .manager import PassContext
from .tiles import core_kind, derived

_ALL = -1


class Groups:
    """The groups of a graph by number: their operations, kind of core and depth."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.operations: dict[int, list[Operation]] = {}
        for operation in graph.operations:
            self.operations.setdefault(operation.subgraph, []).append(operation)
        self.depths = self._depths()

    def _depths(self) -> dict[int, int]:
        depths: dict[int, int] = {}
        for number in sorted(self.operations):
            before = {
                producer.subgraph
                for operation in self.operations[number]
                for tensor in operation.inputs
                for producer in self._graph.producers(tensor)
                if producer.subgraph != number
            }
            depths[number] = 1 + max((depths[other] for other in before), default=0)
        return depths

    def kind(self, number: int) -> CoreKind | None:
        """The kind of core of a group; None for one that only names memory."""
        kinds = {kind for operation in self.operations[number] if (kind := core_kind(operation)) is not None}
        return next(iter(kinds), None)

    def classes(self, kind: CoreKind) -> list[list[int]]:
        """Groups of the same structure and depth, classes in the order of their first group."""
        classes: dict[object, list[int]] = {}
        for number in sorted(self.operations):
            if self.kind(number) is kind:
                classes.setdefault((self.depths[number], self._structure(number)), []).append(number)
        return list(classes.values())

    def _structure(self, number: int) -> tuple[object, ...]:
        return tuple(
            (operation.opcode, *((tensor.shape, tensor.dtype.name, tensor.memory) for tensor in operation.outputs))
            for operation in self.operations[number]
        )

    def merged(self, batches: Iterable[Sequence[int]]) -> Graph:
        """The graph with the groups of each batch as one, numbered anew in a topological order."""
        leader = {number: number for number in self.operations}
        for batch in batches:
            leader.update((number, min(batch)) for number in batch)
        order = sorted(set(leader.values()), key=lambda number: (self.depths[number], number))
        numbers = {number: position for position, number in enumerate(order)}
        changed = (replace(op, subgraph=numbers[leader[op.subgraph]]) for op in self._graph.operations)
        return derived(self._graph, changed)


def setting(context: PassContext, name: str) -> Mapping[int, int]:
    """A pass option that gives a number per class of groups: by the class's position, -1 for all others."""
    value = context.options.get(f"pass.{name}") or context.options.get(name)
    return value if isinstance(value, Mapping) else {}


def count_for(counts: Mapping[int, int], position: int) -> int:
    """How many groups of the class at `position` run as one."""
    return max(1, int(counts.get(position, counts.get(_ALL, 1))))


def batches(groups: Sequence[int], count: int) -> list[Sequence[int]]:
    """`groups` in runs of `count`."""
    return [groups[start : start + count] for start in range(0, len(groups), count)]
