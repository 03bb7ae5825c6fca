"""CommonOperationEliminate: within a group, the same operation on the same tensors is done once.

Source: `framework/src/passes/tile_graph_pass/graph_partition/common_operation_eliminate.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph, LogicalTensor, Operation
from .manager import InvalidGraph, PassContext
from .tiles import derived, on_chip, rewired

_Key = tuple[object, ...]


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph without repeated operations whose results live on chip."""
    first: dict[_Key, Operation] = {}
    replaced: dict[int, LogicalTensor] = {}
    kept: list[Operation] = []
    for operation in graph.operations:
        operation = rewired(operation, replaced)
        key = _key(operation, graph)
        if key is None or key not in first:
            if key is not None:
                first[key] = operation
            kept.append(operation)
            continue
        replaced.update((ours.id, theirs) for ours, theirs in zip(operation.outputs, first[key].outputs, strict=True))
    return derived(graph, kept)


def _key(operation: Operation, graph: Graph) -> _Key | None:
    """What makes two operations the same; None for one that writes memory others see, or whose inputs change."""
    if not operation.inputs or not all(on_chip(tensor) for tensor in operation.outputs):
        return None
    if any(len(graph.producers(tensor)) > 1 for tensor in operation.outputs):
        return None
    if any(not on_chip(tensor) and graph.producers(tensor) for tensor in operation.inputs):
        return None
    return (
        operation.subgraph,
        operation.opcode,
        tuple(tensor.id for tensor in operation.inputs),
        tuple((tensor.shape, tensor.valid_shape, tensor.dtype.name, tensor.memory) for tensor in operation.outputs),
        repr(sorted(operation.attributes.items(), key=lambda item: item[0])),
    )


def verify(graph: Graph, context: PassContext) -> None:
    """Every tile that is used is still made."""
    for operation in graph.operations:
        for tensor in operation.inputs:
            if on_chip(tensor) and not graph.producers(tensor):
                raise InvalidGraph(f"{operation.opcode} uses a tile that nothing makes")
