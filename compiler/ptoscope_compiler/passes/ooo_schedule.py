"""OoOSchedule: the order of operations on a core, and the address of every tile.

Operations are issued as their pipes and operands become free, in the order that keeps few tiles alive; where a memory
is full and nothing that runs will free it, tiles are spilled. A memory that cannot even hold the tiles of one operation
is reported. Source: `framework/src/passes/block_graph_pass/schedule_ooo` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..hardware import MemorySpace
from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import LogicalTensor, Operation
from .add_alloc import is_allocation
from .capacity import report_overflow
from .issue import Blocked, Issue
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext
from .operation_order import dependencies, depth_first
from .spill import spilled
from .tiles import derived, linear_offset, on_chip, raw_bytes, root


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph in its final order of operations, tiles with addresses in bytes."""
    return map_leaves(state, lambda leaf: _scheduled(leaf, context))


def _scheduled(leaf: LeafFunction, context: PassContext) -> list[Operation]:
    operations = list(leaf.graph.operations)
    allocations = [operation for operation in operations if is_allocation(operation)]
    operations = [operation for operation in operations if not is_allocation(operation)]
    if report_overflow(leaf, context):
        return list(leaf.graph.operations)
    edges = dependencies(operations)
    order = depth_first(operations, edges)
    try:
        issue = Issue(operations, edges, order, context.target)
        operations, addresses = issue.run()
    except Blocked:
        operations, addresses = spilled([operations[index] for index in order], context)
    moved = {
        tensor.id: replace(tensor, address=_address(tensor, addresses))
        for operation in (*operations, *allocations)
        for tensor in (*operation.inputs, *operation.outputs)
        if on_chip(tensor) and root(tensor.raw).id in addresses
    }
    placed = derived(leaf.graph, [*allocations, *operations], moved)
    return list(placed.operations)


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
