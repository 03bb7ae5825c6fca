"""Step 3: tensors too large for a core go to global memory; chains of moves that can stay on the core do."""

from __future__ import annotations

from ...dtype import BF16, FP16
from ...hardware import MemorySpace
from ...ir.graph import LogicalTensor, Operation
from ...scalar import known
from ..moves import offset_of
from ..windows import static_shape
from .infer import contracts_stay_in_ub, linear_start, starts_aligned
from .plan import UB_SHARE_OF_ASSEMBLED, Plan

GM, UB, L1, L0C = MemorySpace.GM, MemorySpace.UB, MemorySpace.L1, MemorySpace.L0C


def fall_back_if_too_large(plan: Plan) -> None:
    for operation in plan.edit:
        if operation.opcode == "CONTRACT":
            source = operation.inputs[0]
            if plan.too_large(source, plan.needed(source, operation), assembled=True):
                plan.need(source, operation, GM, force=True)
                plan.source[operation.id] = GM
        elif operation.opcode == "SLICE":
            source, result = operation.inputs[0], operation.outputs[0]
            if plan.too_large(result, plan.made(result), assembled=False):
                plan.make(result, GM, force=True)
                plan.to[operation.id] = GM
            if plan.too_large(source, plan.needed(source, operation), assembled=False):
                plan.need(source, operation, GM, force=True)


def upgrade(plan: Plan) -> None:
    """Keep data between a CONTRACT and the SLICEs behind it on the core, where the chip has the way."""
    _between_l1(plan)
    routes = [(L0C, L1)]
    if plan.target.arch == "3510":
        routes += [(L0C, UB), (UB, L1)]
    for source, target in routes:
        for operation in plan.edit:
            if operation.opcode == "SLICE":
                _write_in_target(plan, operation.inputs[0], source, target)
        for operation in plan.edit:
            if operation.opcode == "CONTRACT":
                _leave_in_source(plan, operation.outputs[0], source, target)
    for operation in plan.edit:
        if operation.opcode == "CONTRACT" and _can_stay_in_ub(plan, operation.outputs[0]):
            _leave_in_source(plan, operation.outputs[0], UB, UB)


def _between(plan: Plan, tensor: LogicalTensor) -> bool:
    """Whether `tensor` lies between CONTRACTs and SLICEs only."""
    writers, readers = plan.edit.producers(tensor), plan.edit.consumers(tensor)
    if not writers or not readers:
        return False
    contracts = all(writer.opcode == "CONTRACT" for writer in writers)
    return contracts and all(reader.opcode == "SLICE" for reader in readers)


def _movable(plan: Plan, tensor: LogicalTensor, memory: MemorySpace) -> bool:
    """Whether `tensor` may be placed in `memory`: it is a mere intermediate, so far in global memory or nowhere."""
    if plan.edit.is_input(tensor) or plan.edit.is_output(tensor):
        return False
    return plan.made(tensor) in (None, GM, memory) and _between(plan, tensor)


def _goes_to(plan: Plan, reader: Operation, target: MemorySpace) -> bool:
    return (plan.made(reader.outputs[0]) or plan.to.get(reader.id)) is target


def _between_l1(plan: Plan) -> None:
    """L1 to global memory and back to L1: stay in L1."""
    for operation in plan.edit:
        if operation.opcode != "CONTRACT":
            continue
        middle = operation.outputs[0]
        if not _movable(plan, middle, GM) or plan.too_large(middle, L1, assembled=False):
            continue
        writers, readers = plan.edit.producers(middle), plan.edit.consumers(middle)
        sources = [plan.needed(writer.inputs[0], writer) or plan.made(writer.inputs[0]) for writer in writers]
        if all(source is L1 for source in sources) and all(plan.to.get(reader.id) is L1 for reader in readers):
            plan.make(middle, L1, force=True)
            for reader in readers:
                plan.need(middle, reader, L1, force=True)


def _multiple(shape: LogicalTensor, of: LogicalTensor) -> bool:
    """Whether every dimension of `shape` is a multiple of that of `of`."""
    one, other = static_shape(shape.shape), static_shape(of.shape)
    if one is None or other is None or len(one) != len(other):
        return False
    return all(a > 0 and b > 0 and a % b == 0 for a, b in zip(one, other, strict=True))


def _fits_l0c_to_l1(move: Operation) -> bool:
    """L0C to L1: FP16 or BF16, whole in its valid part, 16 rows and 32 bytes aligned, rows not strided."""
    source, result = move.inputs[0], move.outputs[0]
    inner, outer = static_shape(source.shape), static_shape(result.shape)
    if inner is None or outer is None or len(inner) != 2 or source.dtype not in (FP16, BF16):
        return False
    if all(a <= b for a, b in zip(inner, outer, strict=True)) and inner[0] != outer[0]:
        return False
    if not all(known(extent) for extent in source.valid_shape):
        return False
    return inner[0] % 16 == 0 and inner[1] * source.dtype.bytes % 32 == 0


def _cube_rows(tensor: LogicalTensor) -> bool:
    shape = static_shape(tensor.shape)
    return shape is not None and len(shape) == 2 and shape[0] % 16 == 0 and shape[1] % 16 == 0


def _route_allowed(plan: Plan, moves: list[Operation], source: MemorySpace, target: MemorySpace) -> bool:
    if (source, target) == (L0C, L1):
        return all(_fits_l0c_to_l1(move) for move in moves)
    if (source, target) == (UB, L1):
        return all(move.inputs[0].rank == 2 and not _keeps_row_order(move) for move in moves)
    return True


def _keeps_row_order(move: Operation) -> bool:
    """Loads that must not reorder their data (bias, scale) come from global memory."""
    mode: int | None = move.attribute("op_attr_copy_in_mode")
    return mode == 0


def _write_in_target(plan: Plan, middle: LogicalTensor, source: MemorySpace, target: MemorySpace) -> None:
    """Small tiles written next to each other in the memory that all readers want."""
    if not _movable(plan, middle, target):
        return
    writers, readers = plan.edit.producers(middle), plan.edit.consumers(middle)
    if not all(_goes_to(plan, reader, target) for reader in readers):
        return
    if (source, target) == (L0C, L1) and len(readers) != 1:
        return
    matrices = target is UB or source is UB
    if matrices and any(tensor.rank != 2 for tensor in (middle, *(w.inputs[0] for w in writers))):
        return
    if (source, target) == (L0C, UB) and not (_cube_rows(middle) and plan.fits_ub(middle, UB_SHARE_OF_ASSEMBLED)):
        return
    if not _route_allowed(plan, [*writers, *readers], source, target):
        return
    for writer in writers:
        tile = writer.inputs[0]
        if plan.made(tile) is not source or plan.wanted_elsewhere(tile, target) or not _multiple(middle, tile):
            return
        if not all(_multiple(reader.outputs[0], tile) for reader in readers):
            return
    if target is UB and any(plan.differently_needed(reader.outputs[0], target) for reader in readers):
        return
    _apply(plan, middle, source, target, place=target)


def _leave_in_source(plan: Plan, middle: LogicalTensor, source: MemorySpace, target: MemorySpace) -> None:
    """A tensor stays where it is written; its readers move parts of it."""
    if not _movable(plan, middle, source):
        return
    writers, readers = plan.edit.producers(middle), plan.edit.consumers(middle)
    if plan.wanted_elsewhere(middle, target) or not all(_goes_to(plan, reader, target) for reader in readers):
        return
    if not _route_allowed(plan, [*writers, *readers], source, target):
        return
    tiles = [writer.inputs[0] for writer in writers]
    if any(plan.made(tile) is not source or plan.wanted_elsewhere(tile, target) for tile in tiles):
        return
    results = [reader.outputs[0] for reader in readers]
    if source is not target and any(tensor.rank != 2 for tensor in (*tiles, *results)):
        return
    for tile in tiles:
        if not all(_multiple(tile, result) or _multiple(result, tile) for result in results):
            return
    if (source, target) == (L0C, UB) and not all(_cube_rows(result) for result in results):
        return
    _apply(plan, middle, source, target, place=source)


def _apply(plan: Plan, middle: LogicalTensor, source: MemorySpace, target: MemorySpace, place: MemorySpace) -> None:
    plan.make(middle, place, force=True)
    for writer in plan.edit.producers(middle):
        plan.need(writer.inputs[0], writer, source, force=True)
        plan.source[writer.id] = source
    for reader in plan.edit.consumers(middle):
        plan.need(middle, reader, place, force=True)
        plan.make(reader.outputs[0], target)
        plan.to[reader.id] = target


def _can_stay_in_ub(plan: Plan, middle: LogicalTensor) -> bool:
    """Assembled in UB and read from its start: fits, and every window is aligned."""
    if not plan.fits_ub(middle, UB_SHARE_OF_ASSEMBLED) or not contracts_stay_in_ub(plan, middle):
        return False
    for reader in plan.edit.consumers(middle):
        if reader.opcode != "SLICE" or not starts_aligned(middle, offset_of(reader)):
            return False
        if linear_start(middle, offset_of(reader)):
            return False
    return True
