"""Pass 10, DuplicateOp: a view that several operations read is repeated for each of them.

Loads into L1, BT and FB stay shared. Source:
`framework/src/passes/tile_graph_pass/graph_optimization/duplicate_op.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext
from .moves import is_view

_SHARED = frozenset({MemorySpace.L1, MemorySpace.BT, MemorySpace.FB})
_REPEATED = frozenset({"GATHER_IN_L1"})


def _copy(tensor: LogicalTensor, context: PassContext) -> LogicalTensor:
    raw = tensor.raw
    storage = context.builder.raw(raw.shape, raw.dtype, raw.name, format=raw.format)
    return context.builder.tensor(storage, tensor.shape, tensor.offset, tensor.valid_shape, tensor.memory)


def _readers_to_split(edit: Edit, operation: Operation) -> list[Operation]:
    readers = edit.consumers(operation.outputs[0])
    if operation.opcode in _REPEATED:
        return readers[1:]
    if not is_view(operation) or operation.attribute("to") in _SHARED or len(readers) == 1:
        return []
    return [reader for reader in readers if not is_view(reader)]


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    changed = False
    for operation in reversed(list(edit)):
        result = operation.outputs[0] if operation.outputs else None
        if result is None or edit.is_output(result) or not (is_view(operation) or operation.opcode in _REPEATED):
            continue
        for reader in _readers_to_split(edit, operation):
            tile = _copy(result, context)
            current = edit.current(operation)
            edit.add(current, operation.opcode, current.inputs, (tile,), operation.attributes)
            edit.replace_input(reader, result, tile)
            changed = True
    if not changed:
        return graph
    edit.drop_dead()
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    """A view into a core's memory has one reader that is not itself a view."""
    check_structure(graph)
    outputs = {tensor.id for tensor in graph.outputs}
    for operation in graph.operations:
        if is_view(operation) and operation.attribute("to") not in _SHARED:
            result = operation.outputs[0]
            readers = graph.consumers(result)
            shared = len(readers) > 1 and any(not is_view(reader) for reader in readers)
            require(result.id in outputs or not shared, graph, "a view has several readers", operation)
