"""Pass 11, AssignMemoryType: every tensor gets a memory; moves are inserted where readers disagree.

Source: `framework/src/passes/tile_graph_pass/data_path/assign_memory_type.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..diagnostics.rules.pt461_no_memory_path import RULE as NO_MEMORY_PATH
from ..hardware import MemorySpace
from ..ir.graph import Graph
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext, Rejected
from .memory.alias_mode import infer_alias_mode
from .memory.convert import NoPath, insert_moves, place_tensors
from .memory.given import assign_given
from .memory.infer import infer
from .memory.plan import Plan, only
from .memory.upgrade import fall_back_if_too_large, upgrade

_ALIAS = {"SLICE": "VIEW", "CONTRACT": "ASSEMBLE"}


def run(graph: Graph, context: PassContext) -> Graph:
    slices = bool(context.option("enable_slice", False))
    plan = Plan(Edit(graph, context.builder), context.target)
    assign_given(plan)
    if slices:
        infer(plan)
        fall_back_if_too_large(plan)
        upgrade(plan)
    else:
        infer_alias_mode(plan)
    _resolve(plan)
    try:
        insert_moves(plan, slices)
    except NoPath as missing:
        source, target = missing.source.value, missing.target.value
        context.report(NO_MEMORY_PATH.at(missing.operation.origin, source=source, target=target))
        raise Rejected(graph.name) from missing
    if slices:
        _copies_within_one_memory(plan)
    _write_attributes(plan)
    edit = plan.edit
    edit.replace_tensors(place_tensors(plan))
    return edit.finish()


def _resolve(plan: Plan) -> None:
    """What is still open goes where its readers agree to need it, else to global memory."""
    for operation in plan.edit:
        for tensor in (*operation.inputs, *operation.outputs):
            if plan.made(tensor) is None:
                needs = [memory for _, memory in plan.needs(tensor) if memory is not None]
                plan.make(tensor, only(needs) or MemorySpace.GM)


def _copies_within_one_memory(plan: Plan) -> None:
    """A SLICE or CONTRACT whose two sides are in one memory is an alias."""
    for operation in plan.edit:
        if operation.opcode in _ALIAS and plan.made(operation.inputs[0]) is plan.made(operation.outputs[0]):
            plan.edit.change(operation, opcode=_ALIAS[operation.opcode])


def _write_attributes(plan: Plan) -> None:
    for operation in plan.edit:
        if operation.opcode in ("VIEW", "SLICE"):
            details = {**operation.attributes, "to": plan.made(operation.outputs[0])}
        elif operation.opcode in ("ASSEMBLE", "CONTRACT"):
            details = {**operation.attributes, "from": plan.made(operation.inputs[0])}
        else:
            continue
        plan.edit.change(operation, attributes=details)


def verify(graph: Graph, context: PassContext) -> None:
    """Every tensor has a memory, and every move goes along an edge that the chip has, or stays in one memory."""
    check_structure(graph)
    for tensor in graph.tensors():
        require(tensor.memory is not None, graph, f"tensor #{tensor.id} has no memory")
    for operation in graph.operations:
        if operation.opcode in ("SLICE", "CONTRACT", "CONVERT"):
            source, target = operation.inputs[0].memory, operation.outputs[0].memory
            assert source is not None and target is not None
            legal = source is target or (source, target) in context.target.moves
            require(legal, graph, f"no move from {source.value} to {target.value}", operation)
