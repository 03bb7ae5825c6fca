"""Step 1: memories that opcodes, loads into L1 and L0, and the graph's own inputs and outputs fix."""

from __future__ import annotations

from ...hardware import MemorySpace
from ...ir.graph import Operation
from .plan import Plan
from .table import PRODUCTS, input_memory, output_memory

GM = MemorySpace.GM
_LEVEL0 = frozenset({MemorySpace.L0A, MemorySpace.L0B})


def assign_given(plan: Plan) -> None:
    for operation in plan.edit:
        if operation.opcode in ("VIEW", "SLICE"):
            _view(plan, operation)
        if operation.opcode == "SLICE":
            _slice_input(plan, operation)
        if operation.opcode in PRODUCTS:
            _factors(plan, operation)
        else:
            for index, tensor in enumerate(operation.inputs):
                plan.need(tensor, operation, input_memory(operation, index))
        for index, tensor in enumerate(operation.outputs):
            plan.make(tensor, output_memory(operation, index))
    for tensor in (*plan.edit.graph.inputs, *plan.edit.graph.outputs):
        plan.make(tensor, GM, force=True)


def _view(plan: Plan, operation: Operation) -> None:
    to = operation.attribute("to")
    if to is None:
        return
    plan.to[operation.id] = to
    plan.make(operation.outputs[0], to)
    if operation.opcode == "VIEW" and not _is_load(plan, operation, to):
        plan.need(operation.inputs[0], operation, to)


def _is_load(plan: Plan, operation: Operation, to: MemorySpace) -> bool:
    """Whether a VIEW moves data between memories: the views of a matrix product do where slices are off."""
    return to is not MemorySpace.UB and plan.made(operation.inputs[0]) is not to


def _slice_input(plan: Plan, operation: Operation) -> None:
    """A SLICE reads global memory, or L1 if its data were loaded there."""
    source, result = operation.inputs[0], operation.outputs[0]
    target = plan.made(result) or plan.to.get(operation.id)
    if plan.made(source) is MemorySpace.L1 and target in _LEVEL0:
        plan.need(source, operation, MemorySpace.L1)
        return
    writers = plan.edit.producers(source)
    loaded = any(writer.opcode == "SLICE" and plan.to.get(writer.id) is MemorySpace.L1 for writer in writers)
    plan.need(source, operation, MemorySpace.L1 if loaded else GM)


def _factors(plan: Plan, operation: Operation) -> None:
    """A matrix product reads its inputs where the moves before it put them."""
    for tensor in operation.inputs:
        for writer in plan.edit.producers(tensor):
            if writer.opcode in PRODUCTS:
                memory = MemorySpace.L0C
            elif writer.opcode in ("SLICE", "VIEW"):
                memory = plan.to.get(writer.id, GM)
            else:
                memory = GM
            plan.need(tensor, operation, memory)
