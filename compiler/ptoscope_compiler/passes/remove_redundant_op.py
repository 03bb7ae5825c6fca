"""Pass 13, RemoveRedundantOp: reshapes, copies and moves that change nothing are dropped.

Source: `framework/src/passes/tile_graph_pass/graph_optimization/remove_redundant_op.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..ir.graph import Graph, Operation
from .check import check_structure, require
from .discontinuous import separate_parts
from .edit import Edit
from .manager import PassContext
from .merge_view_assemble import merge_moves
from .moves import is_assemble
from .view_assemble import bypass_view_assemble
from .windows import static_shape

_EXACT = frozenset({"VIEW", "SLICE", "EXPAND"})
"""Dropped if input and output agree in memory, shape and valid shape."""
_ROUGH = frozenset({"REGISTER_COPY", "ASSEMBLE", "CONTRACT"})
"""Dropped if input and output agree in memory and shape."""


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    changed = _drop_reshapes(edit)
    changed |= bypass_view_assemble(edit)
    changed |= _drop_unneeded(edit)
    while changed:
        changed = _drop_reshapes(edit)
        changed |= _drop_unneeded(edit)
    separate_parts(edit, bool(context.option("enable_slice", False)), through_views=False)
    merge_moves(edit)
    return edit.finish()


def bypass(edit: Edit, operation: Operation) -> bool:
    """Connect what writes the input of `operation` to what reads its output; False where that cannot be."""
    source, result = operation.inputs[0], operation.outputs[0]
    if not edit.is_output(result):
        edit.remove(operation)
        edit.redirect(result, source)
        return True
    if edit.is_input(source) or edit.is_output(source):
        return False
    edit.remove(operation)
    for writer in edit.producers(source):
        outputs = tuple(result if tensor.id == source.id else tensor for tensor in writer.outputs)
        edit.change(writer, outputs=outputs)
    edit.redirect(source, result)
    return True


def _drop_reshapes(edit: Edit) -> bool:
    """Reshapes to the same shape, and reshapes that are only reshaped again."""
    changed = False
    for operation in edit:
        if operation.opcode != "RESHAPE":
            continue
        source, result = operation.inputs[0], operation.outputs[0]
        readers = edit.consumers(result)
        same = source.shape == result.shape and static_shape(source.shape) is not None
        again = bool(readers) and all(reader.opcode == "RESHAPE" for reader in readers)
        if (same or (again and not edit.is_output(result))) and bypass(edit, operation):
            changed = True
    if changed:
        edit.drop_dead()
    return changed


def _drop_unneeded(edit: Edit) -> bool:
    changed = False
    for operation in edit:
        if operation.opcode in _EXACT | _ROUGH and _changes_nothing(edit, operation):
            changed |= bypass(edit, operation)
    if changed:
        edit.drop_dead()
    return changed


def _changes_nothing(edit: Edit, operation: Operation) -> bool:
    source, result = operation.inputs[0], operation.outputs[0]
    if source.memory is not result.memory or source.shape != result.shape:
        return False
    if operation.opcode in _EXACT:
        return source.valid_shape == result.valid_shape
    if not is_assemble(operation):
        return True
    if edit.writers(result) > 1:
        return False
    readers = edit.consumers(source)
    if operation.opcode == "ASSEMBLE" and edit.is_output(result) and len(readers) > 1:
        return False
    shared = any(is_assemble(reader) and reader.id != operation.id for reader in readers)
    return not (shared and any(reader.opcode == "RESHAPE" for reader in edit.consumers(result)))


def verify(graph: Graph, context: PassContext) -> None:
    """No copy within one memory between equal shapes is left, except into an output of the graph."""
    check_structure(graph)
    kept = {tensor.id for tensor in (*graph.inputs, *graph.outputs)}
    for operation in graph.operations:
        if operation.opcode == "REGISTER_COPY" and operation.outputs[0].id not in kept:
            source, result = operation.inputs[0], operation.outputs[0]
            changes = source.memory is not result.memory or source.shape != result.shape
            require(changes, graph, "a copy that changes nothing is left", operation)
