"""Pass 14, InsertOpForViewAssemble: views assembled elsewhere within one memory go through global memory.

Source: `framework/src/passes/tile_graph_pass/graph_optimization/insert_op_for_viewassemble.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation
from .check import check_structure
from .discontinuous import copy_through_gm
from .edit import Edit
from .manager import PassContext
from .moves import is_assemble, is_view, offset_of

_ON_CORE = frozenset({MemorySpace.UB, MemorySpace.L1})


def _within_one_memory(operation: Operation) -> bool:
    return operation.inputs[0].memory is operation.outputs[0].memory


def _targets(edit: Edit) -> list[LogicalTensor]:
    """Tensors assembled within one memory, of which a part is a view within that memory."""
    found: dict[int, LogicalTensor] = {}
    excluded: set[int] = set()
    for operation in edit:
        if not is_assemble(operation):
            continue
        result = operation.outputs[0]
        if not _within_one_memory(operation):
            excluded.add(result.id)
            continue
        writers = edit.producers(operation.inputs[0])
        if writers and is_view(writers[0]) and _within_one_memory(writers[0]):
            found[result.id] = result
    return [tensor for id, tensor in found.items() if id not in excluded]


def _pairs(edit: Edit, target: LogicalTensor) -> list[tuple[Operation, Operation]]:
    pairs = []
    for assemble in edit.producers(target):
        writers = edit.producers(assemble.inputs[0])
        if writers and is_view(writers[0]):
            pairs.append((writers[0], assemble))
    return pairs


def _put_back_in_place(pairs: list[tuple[Operation, Operation]], edit: Edit, target: LogicalTensor) -> bool:
    """Whether `target` consists of views of tensors of its own shape, each where it was."""
    return len(pairs) == edit.writers(target) and all(
        offset_of(view) == offset_of(assemble) and view.inputs[0].shape == target.shape for view, assemble in pairs
    )


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    slices = bool(context.option("enable_slice", False))
    for target in _targets(edit):
        pairs = _pairs(edit, target)
        if _put_back_in_place(pairs, edit, target):
            continue
        for view, assemble in pairs:
            part = edit.current(assemble).inputs[0]
            if part.memory in _ON_CORE and is_view(edit.current(view)):
                copy_through_gm(edit, part, assemble, slices)
    return edit.finish()


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
