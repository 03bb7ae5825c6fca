"""A graph while a pass changes it: operations by id, with producers and consumers kept up to date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from ..ir.graph import Builder, Graph, LogicalTensor, Operation, changed


class Edit:
    """Changes to `graph`. Operations are values: a change puts a new one with the same id in the place of the old."""

    def __init__(self, graph: Graph, builder: Builder) -> None:
        self.graph = graph
        self.builder = builder
        self._operations: dict[int, Operation] = {operation.id: operation for operation in graph.operations}
        self._producers: dict[int, dict[int, None]] = {}
        self._consumers: dict[int, dict[int, None]] = {}
        for operation in graph.operations:
            self._link(operation)
        self.input_ids = {tensor.id for tensor in graph.inputs}
        self.output_ids = {tensor.id for tensor in graph.outputs}

    def __iter__(self) -> Iterator[Operation]:
        """Each operation as it is when its turn comes; those removed or added meanwhile are left out."""
        for id in list(self._operations):
            if id in self._operations:
                yield self._operations[id]

    def __contains__(self, operation: Operation) -> bool:
        return operation.id in self._operations

    def current(self, operation: Operation) -> Operation:
        """What `operation` has become."""
        return self._operations[operation.id]

    def producers(self, tensor: LogicalTensor) -> list[Operation]:
        return [self._operations[id] for id in self._producers.get(tensor.id, ())]

    def consumers(self, tensor: LogicalTensor) -> list[Operation]:
        return [self._operations[id] for id in self._consumers.get(tensor.id, ())]

    def writers(self, tensor: LogicalTensor) -> int:
        """How many operations write `tensor`."""
        return len(self._producers.get(tensor.id, ()))

    def readers(self, tensor: LogicalTensor) -> int:
        """How many operations read `tensor`."""
        return len(self._consumers.get(tensor.id, ()))

    def is_input(self, tensor: LogicalTensor) -> bool:
        return tensor.id in self.input_ids

    def is_output(self, tensor: LogicalTensor) -> bool:
        return tensor.id in self.output_ids

    def add(
        self,
        like: Operation,
        opcode: str,
        inputs: Sequence[LogicalTensor],
        outputs: Sequence[LogicalTensor],
        attributes: Mapping[str, Any],
    ) -> Operation:
        """A new operation with the origin, tiles and label of `like`."""
        made = self.builder.operation(
            opcode, inputs, outputs, like.origin, attributes, like.tiles, like.label, like.subgraph
        )
        self._operations[made.id] = made
        self._link(made)
        return made

    def remove(self, operation: Operation) -> None:
        self._unlink(self._operations.pop(operation.id))

    def change(self, operation: Operation, **fields: Any) -> Operation:
        """`operation` with other `inputs`, `outputs`, `opcode` or `attributes`."""
        old = self._operations[operation.id]
        new = changed(old, **fields)
        self._operations[old.id] = new
        if "inputs" in fields or "outputs" in fields:
            self._unlink(old)
            self._link(new)
        return new

    def replace_input(self, operation: Operation, old: LogicalTensor, new: LogicalTensor) -> Operation:
        current = self._operations[operation.id]
        inputs = tuple(new if tensor.id == old.id else tensor for tensor in current.inputs)
        return self.change(current, inputs=inputs)

    def redirect(self, old: LogicalTensor, new: LogicalTensor) -> None:
        """Every reader of `old` reads `new` instead."""
        for consumer in self.consumers(old):
            self.replace_input(consumer, old, new)

    def replace_tensors(self, tensors: Mapping[int, LogicalTensor]) -> None:
        """Put other objects with the same ids in the place of tensors."""
        for id, operation in self._operations.items():
            if any(tensor.id in tensors for tensor in (*operation.inputs, *operation.outputs)):
                inputs = tuple([tensors.get(tensor.id, tensor) for tensor in operation.inputs])
                outputs = tuple([tensors.get(tensor.id, tensor) for tensor in operation.outputs])
                self._operations[id] = operation.with_tensors(inputs, outputs)
        graph = self.graph
        self.graph = Graph(
            graph.name,
            (),
            (tensors.get(tensor.id, tensor) for tensor in graph.inputs),
            (tensors.get(tensor.id, tensor) for tensor in graph.outputs),
            graph.stage,
        )

    def drop_dead(self) -> None:
        """Remove the operations that no output of the graph needs."""
        alive: set[int] = set()
        needed = {tensor.id for tensor in self.graph.outputs}
        work = [id for tensor in needed for id in self._producers.get(tensor, ())]
        work += [operation.id for operation in self._operations.values() if operation.attributes.get("DONT_TOUCH")]
        while work:
            id = work.pop()
            if id in alive:
                continue
            alive.add(id)
            for tensor in self._operations[id].inputs:
                if tensor.id not in needed:
                    needed.add(tensor.id)
                    work += self._producers.get(tensor.id, ())
        for operation in self:
            if operation.id not in alive:
                self.remove(operation)

    def finish(self, stage: str | None = None) -> Graph:
        """The changed graph, its operations in a topological order that keeps the present order where it can."""
        graph = self.graph
        return Graph(graph.name, self._sorted(), graph.inputs, graph.outputs, stage or graph.stage)

    def _sorted(self) -> Iterable[Operation]:
        """Kahn's algorithm over tensors, so that a tensor with many writers and many readers costs their sum."""
        order = {id: place for place, id in enumerate(self._operations)}
        if self._in_order(order):
            return self._operations.values()
        ids = list(self._operations)
        unwritten = {tensor: len(writers) for tensor, writers in self._producers.items() if writers}
        waiting = {id: sum(t in unwritten for t in _awaited(op)) for id, op in self._operations.items()}
        ready = [order[id] for id, count in waiting.items() if not count]
        heapify(ready)
        result = []
        while ready:
            operation = self._operations[ids[heappop(ready)]]
            result.append(operation)
            for tensor in {output.id for output in operation.outputs}:
                unwritten[tensor] -= 1
                if unwritten[tensor]:
                    continue
                for reader in self._consumers.get(tensor, ()):
                    if tensor in _awaited(self._operations[reader]):
                        waiting[reader] -= 1
                        if not waiting[reader]:
                            heappush(ready, order[reader])
        if len(result) != len(ids):
            raise ValueError(f"{self.graph.name}: operations depend on each other in a circle")
        return result

    def _in_order(self, order: Mapping[int, int]) -> bool:
        last = {tensor: max(map(order.__getitem__, writers)) for tensor, writers in self._producers.items() if writers}
        for id, operation in self._operations.items():
            place = order[id]
            own = [tensor.id for tensor in operation.outputs]
            for tensor in operation.inputs:
                if last.get(tensor.id, -1) >= place and tensor.id not in own:
                    return False
        return True

    def _link(self, operation: Operation) -> None:
        for tensor in operation.outputs:
            self._producers.setdefault(tensor.id, {})[operation.id] = None
        for tensor in operation.inputs:
            self._consumers.setdefault(tensor.id, {})[operation.id] = None

    def _unlink(self, operation: Operation) -> None:
        for tensor in operation.outputs:
            self._producers[tensor.id].pop(operation.id, None)
        for tensor in operation.inputs:
            self._consumers[tensor.id].pop(operation.id, None)


def _awaited(operation: Operation) -> set[int]:
    """Ids of the tensors that must be complete first; what an operation also writes, it changes in place."""
    awaited = {tensor.id for tensor in operation.inputs}
    return awaited.difference(tensor.id for tensor in operation.outputs)
