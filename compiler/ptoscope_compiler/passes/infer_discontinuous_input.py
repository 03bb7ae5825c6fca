"""Pass 12, InferDiscontinuousInput: parts of an assembled tensor that do not lie in it as they should are copied.

Source: `framework/src/passes/tile_graph_pass/graph_optimization/infer_discontinuous_input.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph
from .check import check_structure, require
from .discontinuous import separate_parts
from .edit import Edit
from .manager import PassContext


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    separate_parts(edit, bool(context.option("enable_slice", False)))
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
    for tensor in graph.tensors():
        require(tensor.memory is not None, graph, f"tensor #{tensor.id} has no memory")
