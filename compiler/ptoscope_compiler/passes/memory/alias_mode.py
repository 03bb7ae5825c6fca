"""Step 2 where slices are off: VIEW and ASSEMBLE themselves move data between memories.

A VIEW delivers what its reader needs; a tensor assembled from tiles stays on the core if it is made and read in one
memory and fits, else it goes through global memory.
Source: `framework/src/passes/tile_graph_pass/data_path/assign_memory_type_legacy.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...hardware import MemorySpace
from ...ir.graph import LogicalTensor, Operation
from .plan import UB_SHARE_OF_ASSEMBLED, Plan, only

GM, UB = MemorySpace.GM, MemorySpace.UB


def infer_alias_mode(plan: Plan) -> None:
    order = list(plan.edit)
    for operation in reversed(order):
        if operation.opcode == "VIEW":
            result = operation.outputs[0]
            plan.make(result, plan.from_readers(result))
    for operation in order:
        if operation.opcode == "ASSEMBLE":
            _assembled(plan, operation.outputs[0])
        elif operation.opcode == "RESHAPE":
            _reshaped(plan, operation)
        elif operation.opcode == "VIEW":
            _viewed(plan, operation)


def _assembled(plan: Plan, tensor: LogicalTensor) -> None:
    """The memory of a tensor that ASSEMBLEs fill."""
    if plan.made(tensor) is None:
        writers = plan.edit.producers(tensor)
        sources = {plan.made(writer.inputs[0]) for writer in writers}
        memory = only(memory for memory in sources if memory is not None)
        stays = None not in sources and memory is UB and plan.fits_ub(tensor, UB_SHARE_OF_ASSEMBLED)
        wanted = {_wanted(plan, reader) for reader in plan.edit.consumers(tensor)}
        plan.make(tensor, UB if stays and wanted == {UB} else GM)
    made = plan.made(tensor)
    for writer in plan.edit.producers(tensor):
        if writer.opcode == "ASSEMBLE":
            source = plan.made(writer.inputs[0])
            direct = source is not None and made is not None and len(plan.path(source, made)) <= 2
            plan.need(writer.inputs[0], writer, source if direct else made)


def _wanted(plan: Plan, reader: Operation) -> MemorySpace | None:
    """Where `reader` wants what it reads."""
    if reader.opcode in ("VIEW", "RESHAPE", "ASSEMBLE"):
        return plan.made(reader.outputs[0]) or plan.from_readers(reader.outputs[0])
    return plan.needed(reader.inputs[0], reader)


def _reshaped(plan: Plan, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    here = plan.made(source) is UB and plan.fits_ub(source) and plan.fits_ub(result)
    target = plan.made(result) or plan.from_readers(result)
    memory = UB if here and target is UB else GM
    plan.need(source, operation, memory, force=True)
    plan.make(result, memory, force=True)


def _viewed(plan: Plan, operation: Operation) -> None:
    """A VIEW reads its input where it is, if the chip can bring it to the result in one move; else from GM."""
    source, result = operation.inputs[0], operation.outputs[0]
    made = plan.made(source)
    plan.make(result, made)
    target = plan.made(result)
    if made is None or target is None:
        return
    direct = made is target or (made, target) in plan.target.moves
    plan.need(source, operation, made if direct else GM, force=True)
