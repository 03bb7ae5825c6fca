"""Pass 01, RemoveRedundantReshape: reshapes of reshapes, and reshapes to the same shape, are not needed.

Source: `framework/src/passes/tensor_graph_pass/remove_redundant_reshape.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext
from .reshape_order import reorder_reshapes
from .windows import static_shape


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(reorder_reshapes(graph, context), context.builder)
    outcasts = {tensor.raw.id for tensor in graph.outputs}
    for reshape in edit:
        if reshape.opcode != "RESHAPE":
            continue
        source, result = reshape.inputs[0], reshape.outputs[0]
        if static_shape(source.shape) is None or static_shape(result.shape) is None:
            continue
        for reader in edit.consumers(result):
            if reader.opcode == "RESHAPE" or source.shape == result.shape:
                edit.replace_input(reader, result, source)
        if not edit.readers(result) and result.raw.id not in outcasts:
            edit.remove(reshape)
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    """Of shapes known now, no reshape is left that only reads another."""
    check_structure(graph)
    for operation in graph.operations:
        if operation.opcode != "RESHAPE" or static_shape(operation.inputs[0].shape) is None:
            continue
        source = graph.producers(operation.inputs[0])
        chained = len(source) == 1 and source[0].opcode == "RESHAPE" and static_shape(source[0].inputs[0].shape)
        require(not chained, graph, "a reshape reads a reshape", operation)
