"""Passes over leaf functions: one graph in, one graph out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import Graph, Operation


def map_leaves(state: ExecuteGraph, change: Callable[[LeafFunction], Iterable[Operation]]) -> ExecuteGraph:
    """The execute graph with the operations of each leaf function replaced by `change(leaf)`."""
    leaves = {}
    for name, leaf in state.leaves.items():
        old = leaf.graph
        leaves[name] = replace(leaf, graph=Graph(old.name, change(leaf), old.inputs, old.outputs, old.stage))
    return replace(state, leaves=leaves)
