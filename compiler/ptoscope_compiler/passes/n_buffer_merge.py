"""NBufferMerge: isomorphic groups may run as one call.

Merging trades calls for longer ones; it never changes a result. The machine's scheduler has no cost per call that would
make up for the parallelism lost, so groups stay as GraphPartition made them. Source:
`framework/src/passes/tile_graph_pass/graph_partition/n_buffer_merge.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph
from .graph_partition import verify
from .manager import PassContext

__all__ = ["run", "verify"]


def run(graph: Graph, context: PassContext) -> Graph:
    """The same graph."""
    return graph
