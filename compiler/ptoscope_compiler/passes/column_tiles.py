"""Which tiles of one column are stored without a gap between rows ("combined axes").

Source: `framework/src/passes/tile_graph_pass/graph_constraint/axis_combine_marker.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation
from .opcodes import REDUCTIONS, propagates

INLINE_BROADCAST = frozenset({"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "EXPANDEXPDIF"})
_MOVES = frozenset({"COPY_IN", "COPY_OUT", "VIEW", "ASSEMBLE", "SLICE", "CONTRACT"})


def is_column(tensor: LogicalTensor) -> bool:
    """Whether the tensor is a UB tile whose last axis is 1."""
    return tensor.memory is MemorySpace.UB and tensor.rank > 1 and tensor.shape[-1] == 1


def combined(graph: Graph) -> frozenset[int]:
    """Ids of the column tiles that may be stored without gaps: every operation on them, and on tiles that must be
    stored alike, can handle it."""
    marker = _Marker()
    for operation in graph.operations:
        marker.visit(operation)
    return marker.result()


class _Marker:
    def __init__(self) -> None:
        self._columns: dict[int, LogicalTensor] = {}
        self._parents: dict[int, int] = {}
        self._disabled: set[int] = set()

    def visit(self, operation: Operation) -> None:
        columns = [tensor for tensor in (*operation.inputs, *operation.outputs) if is_column(tensor)]
        for tensor in columns:
            self._columns[tensor.id] = tensor
            self._parents.setdefault(tensor.id, tensor.id)
            if tensor.raw.shape[-1] != 1:
                self._disabled.add(tensor.id)
        if not columns:
            return
        if operation.opcode in _MOVES:
            tails = {tensor.shape[-1] for tensor in (operation.inputs[0], operation.outputs[0])}
            self._require(columns, tails == {1})
        elif operation.opcode in REDUCTIONS:
            self._visit_reduction(operation)
        elif operation.opcode == "EXPAND":
            axes = operation.attribute("op_attr_expand_dims", ())
            self._require(columns, operation.inputs[0].rank - 1 not in axes)
        elif operation.opcode == "BRCB":
            return
        elif propagates(operation.opcode) and len(operation.outputs) == 1:
            mixed = operation.opcode in INLINE_BROADCAST or len(columns) == len(operation.inputs) + 1
            self._require(columns, mixed)
        else:
            self._require(columns, False)

    def _visit_reduction(self, operation: Operation) -> None:
        source, result = operation.inputs[0], operation.outputs[0]
        along_last = operation.attributes["op_attr_AXIS"] == source.rank - 1
        if is_column(source):
            self._disabled.update(tensor.id for tensor in (source, result) if is_column(tensor))
        elif not along_last and is_column(result):
            self._disabled.add(result.id)

    def _require(self, columns: list[LogicalTensor], allowed: bool) -> None:
        """All `columns` are stored alike, and compactly only if `allowed`."""
        for tensor in columns[1:]:
            self._parents[self._find(tensor.id)] = self._find(columns[0].id)
        if not allowed:
            self._disabled.add(columns[0].id)

    def _find(self, item: int) -> int:
        while self._parents[item] != item:
            item = self._parents[item]
        return item

    def result(self) -> frozenset[int]:
        forbidden = {self._find(item) for item in self._disabled}
        return frozenset(item for item in self._columns if self._find(item) not in forbidden)
