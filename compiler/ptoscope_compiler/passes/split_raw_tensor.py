"""Pass 08, SplitRawTensor: a tensor that is a window of larger storage gets storage of its own.

Offsets of moves count within their tensor here, so no move changes. Inputs and outputs of the graph keep their storage.
Source: `framework/src/passes/tile_graph_pass/graph_optimization/split_raw.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.graph import Graph
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext


def run(graph: Graph, context: PassContext) -> Graph:
    kept = {tensor.id for tensor in (*graph.inputs, *graph.outputs)}
    split = {}
    for tensor in graph.tensors():
        if tensor.id in kept or tensor.shape == tensor.raw.shape:
            continue
        raw = context.builder.raw(tensor.shape, tensor.dtype, tensor.raw.name, format=tensor.raw.format)
        split[tensor.id] = replace(tensor, raw=raw, offset=(0,) * tensor.rank)
    if not split:
        return graph
    edit = Edit(graph, context.builder)
    edit.replace_tensors(split)
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    """Only the graph's own inputs and outputs may be windows."""
    check_structure(graph)
    kept = {tensor.id for tensor in (*graph.inputs, *graph.outputs)}
    for tensor in graph.tensors():
        if tensor.id not in kept and tensor.shape != tensor.raw.shape:
            require(False, graph, f"tensor #{tensor.id} is still a window of larger storage")
