"""GlobalMemoryReuse: workspace that nothing needs any more may serve again.

Sharing saves memory of the device and adds order between calls; results are the same. Host memory is not scarce, so
every workspace keeps its own place. Source:
`framework/src/passes/block_graph_pass/memory_reuse/global_memory_reuse.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph
from .manager import PassContext
from .subgraph_to_function import verify

__all__ = ["run", "verify"]


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The same execute graph."""
    return state
