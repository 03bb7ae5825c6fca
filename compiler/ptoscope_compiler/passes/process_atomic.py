"""Pass 15, ProcessAtomic: accumulation in global memory becomes an attribute of the moves that write the parts.

Source: `framework/src/passes/tile_graph_pass/graph_optimization/process_atomic.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..diagnostics.rules.pt961_no_expansion import RULE as NO_EXPANSION
from ..ir.graph import Graph, LogicalTensor, Operation
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext, Rejected
from .moves import is_assemble, offset_of
from .windows import shifted

_ACCUMULATIONS = frozenset({"REDUCE_ACC", "ATOMIC_RMW"})
_ADD = 0


def run(graph: Graph, context: PassContext) -> Graph:
    if not any(operation.opcode in _ACCUMULATIONS for operation in graph.operations):
        return graph
    edit = Edit(graph, context.builder)
    for operation in edit:
        if operation.opcode == "REDUCE_ACC":
            _accumulate(edit, operation, (0,) * operation.outputs[0].rank, context)
    for operation in edit:
        if operation.opcode == "ATOMIC_RMW":
            if operation.attribute("op_attr_rmw_mode", _ADD) != _ADD:
                _reject(operation, "only the mode ADD is supported", context)
            _own_inputs(edit, operation)
            current = edit.current(operation)
            _accumulate(edit, current, offset_of(current), context)
    edit.drop_dead()
    return edit.finish()


def _accumulate(edit: Edit, operation: Operation, offset: tuple[object, ...], context: PassContext) -> None:
    """The moves that write the inputs of `operation` add to its output, shifted by `offset`, instead."""
    result = operation.outputs[0]
    for source in operation.inputs:
        writers = edit.producers(source)
        if not writers or not all(is_assemble(writer) for writer in writers):
            _reject(operation, "its input is not written tile by tile", context)
        for writer in writers:
            start = shifted(offset_of(writer), offset)  # type: ignore[arg-type]
            details = {**writer.attributes, "offset": start, "op_attr_atomic_add": True}
            edit.change(writer, outputs=(result,), attributes=details)
    edit.remove(operation)


def _own_inputs(edit: Edit, operation: Operation) -> None:
    """An input that others read as well is written a second time, for `operation` alone."""
    for source in operation.inputs:
        if edit.readers(source) < 2:
            continue
        own = _copy(edit, source)
        for writer in edit.producers(source):
            edit.add(writer, writer.opcode, writer.inputs, (own,), writer.attributes)
        edit.replace_input(operation, source, own)


def _copy(edit: Edit, tensor: LogicalTensor) -> LogicalTensor:
    raw = edit.builder.raw(tensor.shape, tensor.dtype, tensor.raw.name, format=tensor.raw.format)
    return edit.builder.tensor(raw, valid_shape=tensor.valid_shape, memory=tensor.memory)


def _reject(operation: Operation, reason: str, context: PassContext) -> None:
    context.report(NO_EXPANSION.at(operation.origin, opcode=operation.opcode, reason=reason))
    raise Rejected(operation.opcode)


def verify(graph: Graph, context: PassContext) -> None:
    """No accumulation is left as an operation of its own."""
    check_structure(graph)
    for operation in graph.operations:
        require(operation.opcode not in _ACCUMULATIONS, graph, "an accumulation was not lowered", operation)
