"""Conflicts between operations in the bytes that they touch, once tiles have addresses."""

from __future__ import annotations

from collections.abc import Sequence

from ..hardware import MemorySpace
from ..ir.graph import LogicalTensor, Operation
from .accesses import Access, overlap, window_access
from .tiles import on_chip, strides

_Range = tuple[int, int]


def conflicts(operations: Sequence[Operation]) -> list[list[int]]:
    """Per operation, by position: earlier ones that touch the same bytes, one of the two writing."""
    memories: dict[MemorySpace, _Memory] = {}
    return [sorted(_order(index, operation, memories)) for index, operation in enumerate(operations)]


def _order(index: int, operation: Operation, memories: dict[MemorySpace, _Memory]) -> set[int]:
    waits: set[int] = set()
    touched = [(tensor, False) for tensor in operation.inputs] + [(tensor, True) for tensor in operation.outputs]
    for tensor, writes in touched:
        memory = memories.setdefault(tensor.memory or MemorySpace.GM, _Memory())
        waits.update(memory.conflicting(tensor, writes))
    for tensor, writes in touched:
        memories[tensor.memory or MemorySpace.GM].record(tensor, writes, index)
    return waits


class _Memory:
    """Accesses to one memory that a later one may still have to wait for."""

    def __init__(self) -> None:
        self._accesses: list[tuple[LogicalTensor, Access, bool, int]] = []

    def conflicting(self, tensor: LogicalTensor, writes: bool) -> list[int]:
        access = window_access(tensor, writes)
        return [
            holder
            for other, past, wrote, holder in self._accesses
            if (writes or wrote) and _touch(tensor, access, other, past)
        ]

    def record(self, tensor: LogicalTensor, writes: bool, holder: int) -> None:
        if writes:
            self._accesses = [entry for entry in self._accesses if not _covers(tensor, entry[0])]
        self._accesses.append((tensor, window_access(tensor, writes), writes, holder))


def _touch(left: LogicalTensor, left_access: Access, right: LogicalTensor, right_access: Access) -> bool:
    if not on_chip(left):
        return overlap(left_access, right_access)
    ours, theirs = _bytes(left), _bytes(right)
    if ours is None or theirs is None:
        return True
    if ours[0] >= theirs[1] or theirs[0] >= ours[1]:
        return False
    return left.raw is not right.raw or overlap(left_access, right_access)


def _covers(left: LogicalTensor, right: LogicalTensor) -> bool:
    """Whether `left` overwrites all that `right` touched."""
    if not on_chip(left) or left.raw.strides is not None or any(left.offset):
        return False
    ours, theirs = _bytes(left), _bytes(right)
    return ours is not None and theirs is not None and ours[0] <= theirs[0] and theirs[1] <= ours[1]


def _bytes(tensor: LogicalTensor) -> _Range | None:
    """The bytes between the first and the last element of a tile, padding included."""
    if tensor.address is None:
        return None
    last = 0
    for extent, step in zip(tensor.shape, strides(tensor.raw), strict=True):
        if not isinstance(extent, int) or not isinstance(step, int):
            return None
        last += (extent - 1) * step
    return tensor.address, tensor.address + -(-(last + 1) * tensor.dtype.bits // 8 // 32) * 32
