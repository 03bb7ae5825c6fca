"""RemoveAlloc: with addresses fixed, allocations have served; OoOSchedule leaves them only where it could not place.

Source: `framework/src/passes/block_graph_pass/schedule_ooo/post_schedule/remove_alloc.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph
from .add_alloc import is_allocation
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph without allocations."""
    return map_leaves(state, lambda leaf: [op for op in leaf.graph.operations if not is_allocation(op)])


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """No allocation is left."""
    for leaf in state.leaves.values():
        if any(is_allocation(operation) for operation in leaf.graph.operations):
            raise InvalidGraph(f"{leaf.name} still has allocations")
