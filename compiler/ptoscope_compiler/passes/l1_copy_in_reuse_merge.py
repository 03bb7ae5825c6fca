"""L1CopyInReuseMerge: groups of the cube that load the same tile run as one call, as `cube_l1_reuse_setting` says.

CommonOperationEliminate then drops the repeated loads. Source:
`framework/src/passes/tile_graph_pass/graph_partition/l1_copy_reuse.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..hardware import CoreKind
from ..ir.graph import Graph
from .graph_partition import verify
from .grouping import Groups, batches, count_for, setting
from .manager import PassContext
from .tiles import is_load

__all__ = ["run", "verify"]


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with groups merged; unchanged without a setting."""
    counts = setting(context, "cube_l1_reuse_setting")
    if not counts:
        return graph
    groups = Groups(graph)
    merged: list[Sequence[int]] = []
    for position, members in enumerate(groups.classes(CoreKind.AIC)):
        count = count_for(counts, position)
        left = list(members)
        while left:
            sharing = _most_shared(groups, left)
            merged += batches(sharing, count)
            left = [number for number in left if number not in sharing]
    return groups.merged(merged)


def _most_shared(groups: Groups, members: Sequence[int]) -> list[int]:
    """The largest set of groups among `members` that load the same window."""
    users: dict[object, list[int]] = {}
    for number in members:
        for load in groups.operations[number]:
            if is_load(load):
                window = (load.inputs[0].raw.id, load.attributes["offset"], load.outputs[0].shape)
                users.setdefault(window, []).append(number)
    return max(users.values(), key=len, default=list(members))
