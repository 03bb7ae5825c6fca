"""CodegenPreproc: which operands of an operation are compact columns, as code generation needs to know.

Source: `framework/src/passes/block_graph_pass/codegen_preproc.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import LogicalTensor, Operation
from .column_tiles import is_column
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext
from .pipes import pipe_of
from .tiles import root, with_attributes


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph with `op_attr_input_combine_axis` and `op_attr_output_combine_axis`."""
    return map_leaves(state, _described)


def _described(leaf: LeafFunction) -> list[Operation]:
    return [
        with_attributes(
            operation,
            op_attr_input_combine_axis=[_compact(tensor) for tensor in operation.inputs],
            op_attr_output_combine_axis=[_compact(tensor) for tensor in operation.outputs],
        )
        if pipe_of(operation) is not None
        else operation
        for operation in leaf.graph.operations
    ]


def _compact(tensor: LogicalTensor) -> bool:
    return is_column(tensor) and root(tensor.raw).shape[-1] == 1


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """The two attributes have an entry per operand."""
    for leaf in state.leaves.values():
        for operation in leaf.graph.operations:
            marks = operation.attribute("op_attr_input_combine_axis")
            if marks is not None and len(marks) != len(operation.inputs):
                raise InvalidGraph(f"op_attr_input_combine_axis of {operation.opcode}")
