"""CopyOutResolve: a call may tell its successors of each store before it ends (`copyout_resolve_coalescing`).

Our execute graph resolves a call when it ends, which is the default of the option. Source:
`framework/src/passes/block_graph_pass/copy_out_resolve.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph
from .manager import PassContext
from .remove_alloc import verify

__all__ = ["run", "verify"]


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The same execute graph."""
    return state
