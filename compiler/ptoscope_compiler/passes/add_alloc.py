"""AddAlloc: before the first operation that touches a storage on chip, its allocation.

Source: `framework/src/passes/block_graph_pass/schedule_ooo/pre_schedule/add_alloc.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..hardware import MemorySpace
from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import Operation
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext
from .tiles import on_chip, root

ALLOCATIONS = {
    MemorySpace.UB: "UB_ALLOC",
    MemorySpace.L1: "L1_ALLOC",
    MemorySpace.L0A: "L0A_ALLOC",
    MemorySpace.L0B: "L0B_ALLOC",
    MemorySpace.L0C: "L0C_ALLOC",
    MemorySpace.BT: "BT_ALLOC",
    MemorySpace.FB: "FIX_ALLOC",
    MemorySpace.L0A_MX: "L0AMX_ALLOC",
    MemorySpace.L0B_MX: "L0BMX_ALLOC",
}
_OPCODES = frozenset(ALLOCATIONS.values())


def is_allocation(operation: Operation) -> bool:
    """Whether the operation is one of the *_ALLOC operations."""
    return operation.opcode in _OPCODES


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph with one allocation per storage."""

    def with_allocations(leaf: LeafFunction) -> list[Operation]:
        seen: set[int] = set()
        result: list[Operation] = []
        for operation in leaf.graph.operations:
            for tensor in (*operation.inputs, *operation.outputs):
                if not on_chip(tensor) or root(tensor.raw).id in seen:
                    continue
                seen.add(root(tensor.raw).id)
                assert tensor.memory is not None
                opcode = ALLOCATIONS[tensor.memory]
                result.append(context.builder.operation(opcode, (), (tensor,), operation.origin, {}, operation.tiles))
            result.append(operation)
        return result

    return map_leaves(state, with_allocations)


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """Every storage on chip is allocated once, before it is used."""
    for leaf in state.leaves.values():
        allocated: set[int] = set()
        for operation in leaf.graph.operations:
            for tensor in (*operation.inputs, *operation.outputs):
                if not on_chip(tensor):
                    continue
                storage = root(tensor.raw).id
                if is_allocation(operation) == (storage in allocated):
                    raise InvalidGraph(f"{operation.opcode} of {leaf.name} and the allocation of its storage")
                allocated.add(storage)
