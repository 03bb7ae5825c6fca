"""TuneTileOpSeqForVF (950): vector operations that one vector function can fuse stand together.

The simulated vector pipe runs tile instructions one by one, so the order of OoOSchedule stays. Source:
`framework/src/passes/block_graph_pass/tune_tileopseq_for_vf.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph
from .manager import PassContext
from .ooo_schedule import verify

__all__ = ["run", "verify"]


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The same execute graph."""
    return state
