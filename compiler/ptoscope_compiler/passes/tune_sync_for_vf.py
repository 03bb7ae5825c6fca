"""TuneSyncForVF (950): synchronisation moves out of fused vector functions.

Nothing is fused (see TuneTileOpSeqForVF), so flags stay where InsertSync put them. Source:
`framework/src/passes/block_graph_pass/tune_sync_for_vf.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph
from .insert_sync import verify
from .manager import PassContext

__all__ = ["run", "verify"]


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The same execute graph."""
    return state
