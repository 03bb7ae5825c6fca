"""L1CopyInReuseMerge: groups of the cube that load the same tile may run as one call.

Merging saves loads at the price of parallelism; it never changes a result. Groups stay as GraphPartition made them.
`framework/src/passes/tile_graph_pass/graph_partition/l1_copy_reuse.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph
from .graph_partition import verify
from .manager import PassContext

__all__ = ["run", "verify"]


def run(graph: Graph, context: PassContext) -> Graph:
    """The same graph."""
    return graph
