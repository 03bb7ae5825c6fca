"""LastUseMark: for each operand of a vector operation, whether its bytes are used for the last time.

`last_use` lists results first, then operands. Source: `framework/src/passes/block_graph_pass/last_use_mark.cpp` of
hicann/pypto.
"""

from __future__ import annotations

from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import LogicalTensor, Operation
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext
from .opcodes import MARKS_LAST_USE
from .tiles import with_attributes

_KEEP_LAST_OPERAND = frozenset({"ROWSUM_SINGLE", "ROWMAX_SINGLE", "ROWMIN_SINGLE"})


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph with `last_use` on the operations that take it."""
    return map_leaves(state, _marked)


def _marked(leaf: LeafFunction) -> list[Operation]:
    last: dict[object, int] = {}
    for index, operation in enumerate(leaf.graph.operations):
        for tensor in operation.inputs:
            last[_place(tensor)] = index
    return [
        with_attributes(operation, last_use=_marks(operation, index, last))
        if operation.opcode in MARKS_LAST_USE
        else operation
        for index, operation in enumerate(leaf.graph.operations)
    ]


def _place(tensor: LogicalTensor) -> object:
    return tensor.memory, tensor.address, tensor.id if tensor.address is None else 0


def _marks(operation: Operation, index: int, last: dict[object, int]) -> list[int]:
    marks = [0] * len(operation.outputs)
    if "op_attr_brc_operand" in operation.attributes or operation.opcode == "EXPAND":
        return marks + [0] * len(operation.inputs)
    for position, tensor in enumerate(operation.inputs):
        first = all(_place(tensor) != _place(other) for other in operation.inputs[:position])
        marks.append(int(first and last[_place(tensor)] == index))
    if operation.opcode in _KEEP_LAST_OPERAND:
        marks[-1] = 0
    return marks


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """`last_use` has an entry per result and operand."""
    for leaf in state.leaves.values():
        for operation in leaf.graph.operations:
            marks = operation.attribute("last_use")
            if marks is not None and len(marks) != len(operation.outputs) + len(operation.inputs):
                raise InvalidGraph(f"last_use of {operation.opcode}")
