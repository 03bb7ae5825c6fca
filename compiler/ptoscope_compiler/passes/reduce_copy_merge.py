"""ReduceCopyMerge (950): groups of the cube and of the vector core may run as one mixed call.

GraphPartition keeps the two apart, and what they hand over travels through global memory, as on every chip; so there is
nothing to merge. Source: `framework/src/passes/tile_graph_pass/graph_partition/reduce_copy.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph
from .graph_partition import verify
from .manager import PassContext

__all__ = ["run", "verify"]


def run(graph: Graph, context: PassContext) -> Graph:
    """The same graph."""
    return graph
