"""InferParamIndex: each move names the window of the call that it uses, by its number.

Source: `framework/src/passes/block_graph_pass/infer_param_index.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import Operation
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext
from .tiles import on_chip, with_attributes

ATTRIBUTE = "gm_tensor_param_idx_in_call"
_MOVES = ("COPY_IN", "COPY_OUT")


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph whose copies have the attribute `gm_tensor_param_idx_in_call`."""
    return map_leaves(state, _numbered)


def _numbered(leaf: LeafFunction) -> list[Operation]:
    windows = {tensor.raw.name: index for index, tensor in enumerate((*leaf.graph.inputs, *leaf.graph.outputs))}
    return [
        with_attributes(operation, **{ATTRIBUTE: windows[_window_name(operation)]})
        if operation.opcode in _MOVES
        else operation
        for operation in leaf.graph.operations
    ]


def _window_name(operation: Operation) -> str:
    (window,) = (tensor for tensor in (*operation.inputs, *operation.outputs) if not on_chip(tensor))
    return window.raw.name


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """Every copy has a number, each its own."""
    for leaf in state.leaves.values():
        numbers = [op.attribute(ATTRIBUTE) for op in leaf.graph.operations if op.opcode in _MOVES]
        if None in numbers or len(set(numbers)) != len(numbers):
            raise InvalidGraph(f"copies of {leaf.name} do not have a window each")
