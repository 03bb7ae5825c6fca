"""NBufferMerge: several groups of the same structure run as one call, as `vec_nbuffer_setting` and
`cube_nbuffer_setting` say.

Source: `framework/src/passes/tile_graph_pass/graph_partition/n_buffer_merge.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..hardware import CoreKind
from ..ir.graph import Graph
from .graph_partition import verify
from .grouping import Groups, batches, count_for, setting
from .manager import PassContext

__all__ = ["run", "verify"]
_SETTINGS = {CoreKind.AIV: "vec_nbuffer_setting", CoreKind.AIC: "cube_nbuffer_setting"}


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with groups merged; unchanged without a setting."""
    counts = {kind: setting(context, name) for kind, name in _SETTINGS.items()}
    if not any(counts.values()):
        return graph
    groups = Groups(graph)
    merged: list[Sequence[int]] = []
    for kind, per_class in counts.items():
        for position, members in enumerate(groups.classes(kind)):
            merged += batches(members, count_for(per_class, position))
    return groups.merged(merged)
