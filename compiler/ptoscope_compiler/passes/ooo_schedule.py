"""OoOSchedule: the order of operations on a core, and the address of every tile.

Operations are issued as their pipes and operands become free, in the order that keeps few tiles alive; where a memory
is full and nothing that runs will free it, tiles are spilled. A memory that cannot even hold the tiles of one operation
is reported. Source: `framework/src/passes/block_graph_pass/schedule_ooo` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ..hardware import MemorySpace
from ..ir.execute import ExecuteGraph, LeafCall, LeafFunction
from ..ir.graph import Graph, LogicalTensor, Operation, changed
from .add_alloc import is_allocation
from .capacity import report_overflow
from .issue import Blocked, Issue
from .manager import InvalidGraph, PassContext
from .operation_order import dependencies, depth_first
from .spill import spilled
from .tiles import derived, linear_offset, on_chip, raw_bytes, root


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph in its final order of operations, without allocations, tiles with addresses in bytes.

    A leaf function that spills has a window more for each place that it spills to, of which every call has its own.
    """
    leaves: dict[str, LeafFunction] = {}
    places: dict[str, list[LogicalTensor]] = {}
    for name, leaf in state.leaves.items():
        operations, places[name] = _scheduled(leaf, context)
        old = leaf.graph
        graph = Graph(old.name, operations, old.inputs, (*old.outputs, *places[name]), old.stage)
        leaves[name] = replace(leaf, graph=graph)
    calls = tuple(_with_places(call, places[call.leaf], context) for call in state.calls)
    return replace(state, leaves=leaves, calls=calls)


def _scheduled(leaf: LeafFunction, context: PassContext) -> tuple[list[Operation], list[LogicalTensor]]:
    operations = [operation for operation in leaf.graph.operations if not is_allocation(operation)]
    if report_overflow(leaf, context):
        return list(leaf.graph.operations), []
    places: list[LogicalTensor] = []
    edges = dependencies(operations)
    order = depth_first(operations, edges)
    try:
        operations, addresses = Issue(operations, edges, order, context.target).run()
    except Blocked:
        taken = len(leaf.graph.inputs) + len(leaf.graph.outputs)
        operations, addresses, places = spilled([operations[index] for index in order], context, taken)
    tensors = {t.id: t for operation in operations for t in (*operation.inputs, *operation.outputs)}
    moved = {
        tensor.id: changed(tensor, address=_address(tensor, addresses))
        for tensor in tensors.values()
        if on_chip(tensor) and root(tensor.raw).id in addresses
    }
    return list(derived(leaf.graph, operations, moved).operations), places


def _with_places(call: LeafCall, places: list[LogicalTensor], context: PassContext) -> LeafCall:
    """`call` with workspace for each place, one copy for each of the calls that it stands for."""
    if not places:
        return call
    windows = []
    for place in places:
        raw = context.builder.raw((prod(call.grid), *place.shape), place.dtype)
        windows.append(context.builder.tensor(raw, (1, *place.shape), memory=MemorySpace.GM))
    strides = []
    for axis, old in enumerate(call.strides):
        step = prod(call.grid[axis + 1 :])
        strides.append((*old, *((step, *(0,) * place.rank) for place in places)))
    return replace(
        call,
        operands=(*call.operands, *windows),
        raws=(*call.raws, *(window.raw for window in windows)),
        strides=tuple(strides),
    )


def _address(tensor: LogicalTensor, addresses: dict[int, int]) -> int | None:
    start = linear_offset(tensor.raw, tensor.offset)
    if not isinstance(start, int):
        return None
    return addresses[root(tensor.raw).id] + start * tensor.dtype.bits // 8


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """Every tile with an address lies within its memory, on a block."""
    for leaf in state.leaves.values():
        for operation in leaf.graph.operations:
            for tensor in (*operation.inputs, *operation.outputs):
                if tensor.address is None or not on_chip(tensor):
                    continue
                space = tensor.memory or MemorySpace.GM
                if tensor.address + _size(tensor) > context.target.usable(space):
                    raise InvalidGraph(f"a tile of {operation.opcode} ends behind {space.value}")


def _size(tensor: LogicalTensor) -> int:
    return raw_bytes(tensor.raw) if tensor.raw.storage is None and not any(tensor.offset) else 0
