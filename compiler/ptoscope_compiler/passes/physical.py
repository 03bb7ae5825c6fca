"""Conflicts between operations in the bytes that they touch, once tiles have addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.graph import LogicalTensor, Operation
from .accesses import overlap, window_access
from .tiles import on_chip, root, strides

_Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Past:
    """An access: its tensor, the bytes it lies in (None if unknown or in global memory), and who made it."""

    tensor: LogicalTensor
    bytes: _Range | None
    wrote: bool
    holder: int


def conflicts(operations: Sequence[Operation]) -> list[list[int]]:
    """Per operation, by position: earlier ones that touch the same bytes, one of the two writing."""
    memories: dict[object, _Memory] = {}
    return [sorted(_order(index, operation, memories)) for index, operation in enumerate(operations)]


def _order(index: int, operation: Operation, memories: dict[object, _Memory]) -> set[int]:
    waits: set[int] = set()
    accesses: list[tuple[_Memory, _Past]] = []
    touched = [(tensor, False) for tensor in operation.inputs] + [(tensor, True) for tensor in operation.outputs]
    for tensor, writes in touched:
        access = _Past(tensor, _bytes(tensor), writes, index)
        memory = memories.setdefault(_memory(tensor), _Memory())
        waits.update(memory.conflicting(access))
        accesses.append((memory, access))
    for memory, access in accesses:
        memory.record(access)
    return waits


def _memory(tensor: LogicalTensor) -> object:
    """What conflicts are looked for in: a memory of the core, or one storage in global memory."""
    return tensor.memory if on_chip(tensor) else root(tensor.raw).id


class _Memory:
    """Accesses to one memory that a later one may still have to wait for."""

    def __init__(self) -> None:
        self._accesses: list[_Past] = []

    def conflicting(self, access: _Past) -> list[int]:
        return [past.holder for past in self._accesses if (access.wrote or past.wrote) and _touch(access, past)]

    def record(self, access: _Past) -> None:
        if access.wrote and _fills_its_bytes(access.tensor):
            self._accesses = [past for past in self._accesses if not _within(past.bytes, access.bytes)]
        self._accesses.append(access)


def _touch(left: _Past, right: _Past) -> bool:
    if not on_chip(left.tensor):
        return overlap(window_access(left.tensor, left.wrote), window_access(right.tensor, right.wrote))
    ours, theirs = left.bytes, right.bytes
    if ours is None or theirs is None:
        return True
    if ours[0] >= theirs[1] or theirs[0] >= ours[1]:
        return False
    if left.tensor.raw is not right.tensor.raw:
        return True
    return overlap(window_access(left.tensor, left.wrote), window_access(right.tensor, right.wrote))


def _fills_its_bytes(tensor: LogicalTensor) -> bool:
    return on_chip(tensor) and tensor.raw.strides is None and not any(tensor.offset)


def _within(inner: _Range | None, outer: _Range | None) -> bool:
    return inner is not None and outer is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


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
