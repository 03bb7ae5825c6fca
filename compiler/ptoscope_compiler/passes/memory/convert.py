"""Step 4: where a reader needs a tensor in another memory than it is made in, moves are inserted.

Source: `framework/src/passes/tile_graph_pass/data_path/convert_op_inserter.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...dtype import BF16, FP16
from ...hardware import MemorySpace
from ...ir.graph import LogicalTensor, Operation, changed
from ..windows import static_shape
from .plan import Plan, is_special

GM = MemorySpace.GM


class NoPath(Exception):
    """The chip cannot bring data from one memory to another."""

    def __init__(self, operation: Operation, source: MemorySpace, target: MemorySpace) -> None:
        super().__init__(f"{operation.opcode}: no way from {source.value} to {target.value}")
        self.operation, self.source, self.target = operation, source, target


def insert_moves(plan: Plan, slices: bool) -> None:
    """Moves for every conflict; NoPath where the chip has no way."""
    seen: set[int] = set()
    for operation in plan.edit:
        for tensor in operation.outputs:
            if tensor.id not in seen:
                seen.add(tensor.id)
                _settle(plan, operation, tensor, slices)


def _settle(plan: Plan, operation: Operation, tensor: LogicalTensor, slices: bool) -> None:
    made = plan.made(tensor)
    assert made is not None
    needs = [(reader, memory or made) for reader, memory in plan.needs(tensor)]
    wanted: dict[MemorySpace, list[Operation]] = {}
    for reader, memory in needs:
        if memory is not made:
            wanted.setdefault(memory, []).append(reader)
    if not wanted:
        return
    crosses = all(plan.through_gm(made, memory) for _, memory in needs)
    writers = plan.edit.producers(tensor)
    if crosses and all(writer.opcode == "CONTRACT" for writer in writers):
        plan.make(tensor, GM, force=True)
        made = GM
    for memory in sorted(wanted, key=lambda space: space.value):
        target = GM if crosses and _moves_only(plan, wanted[memory]) else memory
        if target is made:
            continue
        way = _way(plan, operation, tensor, made, target)
        for reader in wanted[memory]:
            _insert(plan, operation, tensor, way, reader, slices)


def _moves_only(plan: Plan, readers: list[Operation]) -> bool:
    """Whether every reader copies out of `tensor` itself: a SLICE, or a CONTRACT into a result of the graph."""
    return all(
        reader.opcode == "SLICE" or (reader.opcode == "CONTRACT" and plan.edit.is_output(reader.outputs[0]))
        for reader in readers
    )


def _way(
    plan: Plan, operation: Operation, tensor: LogicalTensor, made: MemorySpace, target: MemorySpace
) -> tuple[MemorySpace, ...]:
    direct_l1 = made is MemorySpace.L0C and target is MemorySpace.L1
    if is_special(made, target) and plan.wanted_elsewhere(tensor, target):
        return made, GM, target
    if direct_l1 and not _fits_l0c_to_l1(tensor):
        return made, GM, target
    way = plan.path(made, target)
    if not way:
        raise NoPath(operation, made, target)
    return way


def _fits_l0c_to_l1(tensor: LogicalTensor) -> bool:
    shape = static_shape(tensor.shape)
    if shape is None or len(shape) != 2 or tensor.dtype not in (FP16, BF16):
        return False
    return shape[0] % 16 == 0 and shape[1] * tensor.dtype.bytes % 32 == 0


def _insert(
    plan: Plan,
    operation: Operation,
    tensor: LogicalTensor,
    way: tuple[MemorySpace, ...],
    reader: Operation,
    slices: bool,
) -> None:
    """One move per step of `way` between `tensor` and `reader`."""
    edit, builder, current = plan.edit, plan.edit.builder, tensor
    for source, target in zip(way, way[1:], strict=False):
        raw = builder.raw(current.shape, current.dtype, current.raw.name, format=current.raw.format)
        moved = builder.tensor(raw, valid_shape=tensor.valid_shape)
        plan.make(moved, target)
        zero = (0,) * tensor.rank
        if source is GM:
            move = edit.add(reader, "SLICE" if slices else "VIEW", (current,), (moved,), {"offset": zero})
            plan.to[move.id] = target
        elif target is GM:
            opcode = "CONTRACT" if slices else "ASSEMBLE"
            move = edit.add(operation, opcode, (current,), (moved,), {"offset": zero})
            plan.source[move.id] = source
        else:
            move = edit.add(operation, "CONVERT", (current,), (moved,), {"from": source, "to": target})
        plan.need(current, move, source)
        current = moved
    plan.need(current, reader, way[-1], force=True)
    edit.replace_input(reader, tensor, current)


def place_tensors(plan: Plan) -> dict[int, LogicalTensor]:
    """Every tensor of the graph with its memory, by id."""
    placed: dict[int, LogicalTensor] = {}
    for operation in plan.edit:
        for tensor in (*operation.inputs, *operation.outputs):
            if tensor.id not in placed:
                placed[tensor.id] = changed(tensor, memory=plan.made(tensor))
    for tensor in (*plan.edit.graph.inputs, *plan.edit.graph.outputs):
        if tensor.id not in placed:
            placed[tensor.id] = changed(tensor, memory=plan.made(tensor))
    return placed
