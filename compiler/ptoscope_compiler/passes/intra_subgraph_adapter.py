"""IntraSubgraphAdapter: tiles that another group needs travel through global memory.

Source: `framework/src/passes/tile_graph_pass/data_path/intra_subgraph_adapter.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation
from .manager import InvalidGraph, PassContext
from .tiles import ASSEMBLES, VIEWS, derived, on_chip


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with a store behind each tile that leaves its group, and a load in each group that it enters.

    A view of such a tile becomes a load itself; a part of another tile enters in the memory of its whole.
    """
    result: list[Operation] = []
    entries: dict[tuple[int, int, MemorySpace | None], LogicalTensor] = {}
    exits: dict[int, LogicalTensor] = {}
    for operation in graph.operations:
        inputs: list[LogicalTensor] = []
        for tensor in operation.inputs:
            producers = graph.producers(tensor)
            if not on_chip(tensor) or not producers or producers[-1].subgraph == operation.subgraph:
                inputs.append(tensor)
                continue
            memory = operation.outputs[0].memory if operation.opcode in ASSEMBLES else tensor.memory
            key = operation.subgraph, tensor.id, memory
            if tensor.id not in exits:
                exits[tensor.id] = _store(tensor, producers[-1], result, context)
            if operation.opcode in VIEWS:
                inputs.append(exits[tensor.id])
                continue
            if key not in entries:
                entries[key] = _load(exits[tensor.id], replace(tensor, memory=memory), operation, result, context)
            inputs.append(entries[key])
        result.append(replace(operation, inputs=tuple(inputs)))
    return derived(graph, result)


def _store(tensor: LogicalTensor, producer: Operation, result: list[Operation], context: PassContext) -> LogicalTensor:
    place = context.builder.new(tensor.shape, tensor.dtype, memory=MemorySpace.GM, valid_shape=tensor.valid_shape)
    store = context.builder.operation(
        "CONTRACT", (tensor,), (place,), producer.origin, {"offset": (0,) * tensor.rank},
        producer.tiles, subgraph=producer.subgraph,
    )  # fmt: skip
    behind = max(index for index, operation in enumerate(result) if operation.id == producer.id)
    result.insert(behind + 1, store)
    return place


def _load(
    place: LogicalTensor, tensor: LogicalTensor, user: Operation, result: list[Operation], context: PassContext
) -> LogicalTensor:
    tile = context.builder.new(tensor.shape, tensor.dtype, memory=tensor.memory, valid_shape=tensor.valid_shape)
    result.append(
        context.builder.operation(
            "SLICE", (place,), (tile,), user.origin, {"offset": (0,) * tensor.rank}, user.tiles, subgraph=user.subgraph
        )
    )
    return tile


def verify(graph: Graph, context: PassContext) -> None:
    """No tile on chip is made in one group and used in another."""
    for operation in graph.operations:
        for tensor in operation.inputs:
            if on_chip(tensor) and any(p.subgraph != operation.subgraph for p in graph.producers(tensor)):
                raise InvalidGraph(f"{operation.opcode} uses a tile of another group")
