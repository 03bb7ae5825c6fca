"""Step 2: memories of moves and reshapes, from what is around them."""

from __future__ import annotations

from ...hardware import MemorySpace
from ...ir.graph import LogicalTensor, Operation
from ..moves import offset_of
from ..windows import static_shape
from .plan import UB_SHARE_OF_ASSEMBLED, Plan, is_special, only

GM, UB, L1 = MemorySpace.GM, MemorySpace.UB, MemorySpace.L1


def infer(plan: Plan) -> None:
    assembled: set[int] = set()
    for operation in plan.edit:
        if operation.opcode == "VIEW":
            _view(plan, operation)
        elif operation.opcode == "SLICE":
            _slice(plan, operation)
        elif operation.opcode == "VIEW_TYPE":
            _view_type(plan, operation)
        elif operation.opcode == "ASSEMBLE":
            _assemble(plan, operation, assembled)
        elif operation.opcode == "CONTRACT":
            _contract(plan, operation)
        elif operation.opcode == "RESHAPE":
            _reshape(plan, operation)
    for operation in plan.edit:
        if operation.opcode == "NOP":
            _nop(plan, operation)


def _view(plan: Plan, operation: Operation) -> None:
    """A VIEW is in one memory on both sides."""
    source, result = operation.inputs[0], operation.outputs[0]
    if plan.made(result) is not None:
        return
    memory = plan.from_writers(source) or plan.from_readers(result)
    if memory is not None:
        plan.need(source, operation, memory, force=True)
        plan.make(result, memory)
        plan.to[operation.id] = memory


def _slice(plan: Plan, operation: Operation) -> None:
    result = operation.outputs[0]
    plan.make(result, plan.from_readers(result) or UB)
    made = plan.made(result)
    assert made is not None
    plan.to[operation.id] = made


def _contract(plan: Plan, operation: Operation) -> None:
    source = operation.inputs[0]
    memory = plan.needed(source, operation)
    if memory is None:
        memory = plan.from_writers(source) or UB
        plan.need(source, operation, memory, force=True)
    plan.source[operation.id] = memory


def _assemble(plan: Plan, operation: Operation, done: set[int]) -> None:
    """All ASSEMBLEs into one tensor are in one memory."""
    source, result = operation.inputs[0], operation.outputs[0]
    if plan.needed(source, operation) is not None or result.id in done:
        return
    done.add(result.id)
    memory = plan.made(result) or plan.from_readers(result) or _assembled_from(plan, result)
    if memory is None:
        return
    plan.make(result, memory)
    for writer in plan.edit.producers(result):
        if writer.opcode == "ASSEMBLE":
            plan.need(writer.inputs[0], writer, memory, force=True)
            plan.source[writer.id] = memory


def _assembled_from(plan: Plan, result: LogicalTensor) -> MemorySpace | None:
    found = set()
    for writer in plan.edit.producers(result):
        if writer.opcode == "ASSEMBLE":
            source = writer.inputs[0]
            memory = plan.needed(source, writer) or plan.from_writers(source)
            if memory is not None:
                found.add(memory)
    return (only(found) or GM) if found else None


def _reshape(plan: Plan, operation: Operation) -> None:
    """A RESHAPE stays in UB if both sides are there and fit, else it goes through global memory."""
    source, result = operation.inputs[0], operation.outputs[0]
    needed = plan.needed(source, operation)
    if needed is None:
        needed = plan.made(source)
        plan.need(source, operation, needed)
    if plan.made(result) is None:
        behind = plan.through_views(result)
        plan.make(result, only(behind) or (UB if UB in behind else None))
    if _keep_between_tiles(plan, operation):
        return
    in_ub = needed is UB and plan.made(result) is UB and plan.fits_ub(source) and plan.fits_ub(result)
    plan.need(source, operation, UB if in_ub else GM, force=True)
    plan.make(result, UB if in_ub else GM, force=True)


def _keep_between_tiles(plan: Plan, operation: Operation) -> bool:
    """A reshape between CONTRACTs and SLICEs may stay in UB, if the assembled tensor fits."""
    source, result = operation.inputs[0], operation.outputs[0]
    writers, readers = plan.edit.producers(source), plan.edit.consumers(result)
    if not writers or not readers or not all(_slices_ub(plan, reader) for reader in readers):
        return False
    if not plan.fits_ub(source, UB_SHARE_OF_ASSEMBLED) or not contracts_stay_in_ub(plan, source):
        return False
    plan.make(source, UB, force=True)
    plan.need(source, operation, UB, force=True)
    plan.make(result, UB, force=True)
    for reader in readers:
        plan.need(result, reader, UB, force=True)
    return True


def _slices_ub(plan: Plan, reader: Operation) -> bool:
    """Whether `reader` is a SLICE that can read its input in UB."""
    target = plan.to.get(reader.id, UB)
    return reader.opcode == "SLICE" and (target is UB or (UB, target) in plan.target.moves)


def contracts_stay_in_ub(plan: Plan, tensor: LogicalTensor) -> bool:
    """Whether `tensor` is written by CONTRACTs only, each of which can write it in UB."""
    for writer in plan.edit.producers(tensor):
        if writer.opcode != "CONTRACT":
            return False
        source = plan.needed(writer.inputs[0], writer) or plan.made(writer.inputs[0])
        if source is None or not _reaches_without_gm(plan, writer, source, UB):
            return False
        if not _is_advanced(plan, source, UB) and not starts_aligned(tensor, offset_of(writer)):
            return False
    return True


def _is_advanced(plan: Plan, source: MemorySpace, target: MemorySpace) -> bool:
    """Moves that need no alignment of their own: into L1 from L0C, and, on 950, between the cores."""
    if (source, target) == (MemorySpace.L0C, L1):
        return True
    return plan.target.arch == "3510" and (source, target) in ((MemorySpace.L0C, UB), (UB, L1))


def _reaches_without_gm(plan: Plan, move: Operation, source: MemorySpace, target: MemorySpace) -> bool:
    if source is target:
        return True
    if is_special(source, target) and plan.wanted_elsewhere(move.inputs[0], target):
        return False
    way = plan.path(source, target)
    return bool(way) and GM not in way


def starts_aligned(tensor: LogicalTensor, offset: tuple[object, ...]) -> bool:
    """Whether a window at `offset` starts at a multiple of 32 bytes; taken as so where it is not known."""
    start = linear_start(tensor, offset)
    return start is None or start * tensor.dtype.bytes % 32 == 0


def linear_start(tensor: LogicalTensor, offset: tuple[object, ...]) -> int | None:
    """Elements before `offset` in the tensor's storage; None where a figure is not known now."""
    shape = static_shape(tensor.raw.shape)
    if shape is None or len(shape) != len(offset):
        return None
    start = 0
    for extent, at in zip(shape, offset, strict=True):
        if not isinstance(at, int):
            return None
        start = start * extent + at
    return start


def _view_type(plan: Plan, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    target = plan.unique_need(result) or only(plan.through_views(result)) or plan.made(result)
    writers = plan.edit.producers(source)
    if writers and writers[0].opcode == "SLICE":
        start = writers[0].inputs[0]
        needed = plan.needed(start, writers[0]) or plan.made(start)
        direct = target is not None and needed is not None and len(plan.path(needed, target)) <= 2
        if direct and target is not None:
            plan.make(source, target, force=True)
    memory = target if target is not None and plan.made(source) is target else GM
    plan.need(source, operation, memory, force=True)
    plan.make(result, memory, force=True)


def _nop(plan: Plan, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    needed, made = plan.needed(source, operation), plan.made(result)
    if needed is not None and made is not None and needed is not made:
        plan.need(source, operation, GM, force=True)
        plan.make(result, GM, force=True)
