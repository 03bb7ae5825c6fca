"""MixSubgraphSplit (950): a leaf function for both kinds of core becomes one for each.

GraphPartition makes no such groups; the verifier holds that. Source:
`framework/src/passes/block_graph_pass/mix_subgraph_split.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph
from .manager import InvalidGraph, PassContext
from .tiles import core_kind


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The same execute graph."""
    return state


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """Every leaf function runs on one kind of core."""
    for leaf in state.leaves.values():
        if any(core_kind(operation) not in (None, leaf.core) for operation in leaf.graph.operations):
            raise InvalidGraph(f"{leaf.name} needs both kinds of core")
