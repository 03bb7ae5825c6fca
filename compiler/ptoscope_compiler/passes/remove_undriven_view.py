"""Pass 04, RemoveUndrivenView: an in-place assemble whose target nothing has written becomes a plain ASSEMBLE.

Source: `framework/src/passes/tensor_graph_pass/remove_undriven_view.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext

_IN_PLACE = "INPLACE_IDX"


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    for operation in edit:
        if operation.opcode != "ASSEMBLE_SSA":
            continue
        window = operation.inputs[operation.attributes[_IN_PLACE]]
        (view,) = edit.producers(window)
        if edit.producers(view.inputs[0]):
            continue
        attributes = {name: value for name, value in operation.attributes.items() if name != _IN_PLACE}
        inputs = tuple(tensor for tensor in operation.inputs if tensor is not window)
        edit.change(operation, opcode="ASSEMBLE", inputs=inputs, attributes=attributes)
        if not edit.consumers(window):
            edit.remove(view)
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
    for operation in graph.operations:
        if operation.opcode == "ASSEMBLE_SSA":
            views = graph.producers(operation.inputs[operation.attributes[_IN_PLACE]])
            single = len(views) == 1 and views[0].opcode == "VIEW"
            require(single, graph, "the target of an in-place assemble is not one VIEW", operation)
