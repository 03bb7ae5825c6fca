"""What is known while memories are assigned: where each tensor is made, and where each of its readers needs it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import prod

from ...hardware import MemorySpace
from ...ir.graph import LogicalTensor, Operation
from ...targets import Target
from ..edit import Edit
from ..moves import is_assemble
from ..windows import static_shape

ALIASES = frozenset({"VIEW", "ASSEMBLE", "RESHAPE"})
UB_SHARE_OF_ASSEMBLED = 0.35
"""The part of UB that a tensor assembled from tiles may take (`UB_THRESHOLD_ASSEMBLE` of the official pass)."""
L1_SHARE = 0.5

_SPECIAL = frozenset(
    {
        (MemorySpace.L0C, MemorySpace.L1),
        (MemorySpace.L0C, MemorySpace.UB),
        (MemorySpace.UB, MemorySpace.L1),
    }
)
"""Direct moves that a tensor may only take if all its readers want the same memory."""


def is_special(source: MemorySpace, target: MemorySpace) -> bool:
    return (source, target) in _SPECIAL


def bytes_of(tensor: LogicalTensor) -> int | None:
    """Size of a tensor in bytes; None where a dimension is known only at run time."""
    shape = static_shape(tensor.shape)
    return None if shape is None else prod(shape) * tensor.dtype.bits // 8


class Plan:
    """`made`: memory of a tensor; `needed`: memory per reader. None is unknown.

    `to` and `source` hold the memories of views and assembles, by operation id.
    """

    def __init__(self, edit: Edit, target: Target) -> None:
        self.edit, self.target = edit, target
        self._made: dict[int, MemorySpace] = {}
        self._needed: dict[int, dict[int, MemorySpace]] = {}
        self.to: dict[int, MemorySpace] = {}
        self.source: dict[int, MemorySpace] = {}
        self._paths: dict[tuple[MemorySpace, MemorySpace], tuple[MemorySpace, ...]] = {}

    def made(self, tensor: LogicalTensor) -> MemorySpace | None:
        return self._made.get(tensor.id)

    def make(self, tensor: LogicalTensor, memory: MemorySpace | None, force: bool = False) -> None:
        """Place `tensor`; an earlier decision stays unless forced."""
        if memory is not None and (force or tensor.id not in self._made):
            self._made[tensor.id] = memory

    def needed(self, tensor: LogicalTensor, reader: Operation) -> MemorySpace | None:
        return self._needed.get(tensor.id, {}).get(reader.id)

    def need(self, tensor: LogicalTensor, reader: Operation, memory: MemorySpace | None, force: bool = False) -> None:
        """State where `reader` needs `tensor`; an earlier statement stays unless forced."""
        if memory is None:
            return
        needs = self._needed.setdefault(tensor.id, {})
        if force or reader.id not in needs:
            needs[reader.id] = memory

    def needs(self, tensor: LogicalTensor) -> list[tuple[Operation, MemorySpace | None]]:
        """Each reader of `tensor` with the memory it needs it in."""
        known = self._needed.get(tensor.id, {})
        return [(reader, known.get(reader.id)) for reader in self.edit.consumers(tensor)]

    def unique_need(self, tensor: LogicalTensor) -> MemorySpace | None:
        return only(self._needed.get(tensor.id, {}).values())

    def from_readers(self, tensor: LogicalTensor, seen: set[int] | None = None) -> MemorySpace | None:
        """The one memory that readers need, looking through aliases."""
        seen = set() if seen is None else seen
        if tensor.id in seen:
            return None
        seen.add(tensor.id)
        found: set[MemorySpace] = set()
        for reader, memory in self.needs(tensor):
            if memory is not None:
                found.add(memory)
            elif reader.opcode in ALIASES:
                found |= {m for result in reader.outputs if (m := self.from_readers(result, seen)) is not None}
        return only(found)

    def from_writers(self, tensor: LogicalTensor, seen: set[int] | None = None) -> MemorySpace | None:
        """The one memory that the data come from, looking through aliases."""
        seen = set() if seen is None else seen
        if tensor.id in seen:
            return None
        seen.add(tensor.id)
        own = self.made(tensor)
        found = set() if own is None else {own}
        for writer in self.edit.producers(tensor):
            if writer.opcode in ALIASES:
                found |= {m for source in writer.inputs if (m := self.from_writers(source, seen)) is not None}
        return only(found)

    def through_views(self, tensor: LogicalTensor, seen: set[int] | None = None) -> set[MemorySpace]:
        """Every memory that readers need `tensor` in, directly or behind views."""
        seen = set() if seen is None else seen
        if tensor.id in seen:
            return set()
        seen.add(tensor.id)
        found: set[MemorySpace] = set()
        for reader, memory in self.needs(tensor):
            candidates = [memory]
            if reader.opcode == "VIEW":
                result = reader.outputs[0]
                candidates += [self.to.get(reader.id), self.made(result), only(self.through_views(result, seen))]
            found |= {candidate for candidate in candidates if candidate is not None}
        return found

    def path(self, source: MemorySpace, target: MemorySpace) -> tuple[MemorySpace, ...]:
        """Memories on the shortest way from `source` to `target`, both included; empty where there is none."""
        key = (source, target)
        if key not in self._paths:
            self._paths[key] = _shortest(self.target.moves, source, target)
        return self._paths[key]

    def through_gm(self, source: MemorySpace, target: MemorySpace) -> bool:
        return MemorySpace.GM in self.path(source, target)

    def fits_ub(self, tensor: LogicalTensor, share: float = 1.0) -> bool:
        size = bytes_of(tensor)
        return size is not None and size <= int(self.target.usable(MemorySpace.UB) * share)

    def fits_l1(self, tensor: LogicalTensor) -> bool:
        size = bytes_of(tensor)
        return size is not None and size <= int(self.target.usable(MemorySpace.L1) * L1_SHARE)

    def too_large(self, tensor: LogicalTensor, memory: MemorySpace | None, assembled: bool) -> bool:
        """Whether `tensor` is known to exceed what it may take of UB or L1."""
        if bytes_of(tensor) is None:
            return False
        if memory is MemorySpace.UB:
            return not self.fits_ub(tensor, UB_SHARE_OF_ASSEMBLED if assembled else 1.0)
        return memory is MemorySpace.L1 and not self.fits_l1(tensor)

    def wanted_elsewhere(self, tensor: LogicalTensor, target: MemorySpace) -> bool:
        """Whether `tensor` has several readers of which one wants it in a memory other than `target`."""
        return self.edit.readers(tensor) > 1 and self.differently_needed(tensor, target)

    def differently_needed(self, tensor: LogicalTensor, target: MemorySpace) -> bool:
        """Whether a reader of `tensor`, seen through moves, needs it in another memory than `target`."""
        for reader, memory in self.needs(tensor):
            if reader.opcode in ("VIEW", "SLICE") and self._leaves_differently(reader.outputs[0], target):
                return True
            effective = self._effective_need(reader, memory, target)
            if effective is not None and effective is not target:
                return True
            if is_assemble(reader) and not self.edit.readers(reader.outputs[0]):
                place = self.made(reader.outputs[0])
                if place is not None and place is not target:
                    return True
        return self._leaves_differently(tensor, target)

    def _leaves_differently(self, tensor: LogicalTensor, target: MemorySpace) -> bool:
        """Whether `tensor` is copied into a final result outside UB although UB is the target."""
        if target is not MemorySpace.UB:
            return False
        for reader in self.edit.consumers(tensor):
            if is_assemble(reader) and not self.edit.readers(reader.outputs[0]):
                place = self.made(reader.outputs[0])
                if reader.attribute("NeedCopy") or (place is not None and place is not target):
                    return True
        return False

    def _effective_need(self, reader: Operation, direct: MemorySpace | None, target: MemorySpace) -> MemorySpace | None:
        """Where the data that `reader` moves are needed in the end."""
        if reader.opcode not in ("VIEW", "SLICE", "ASSEMBLE", "CONTRACT"):
            return direct
        result = reader.outputs[0]
        found = {self.made(result), only(self.through_views(result))}
        if is_assemble(reader):
            source = self.source.get(reader.id)
            if source is not None and is_special(source, target) and self.edit.readers(result):
                found.add(target)
        else:
            found.add(self.to.get(reader.id))
        found.discard(None)
        if target in found:
            return target
        return next(iter(found)) if len(found) == 1 else direct


def only(memories: Iterable[MemorySpace]) -> MemorySpace | None:
    """The one memory in `memories`; None where there is none or several."""
    distinct = set(memories)
    return next(iter(distinct)) if len(distinct) == 1 else None


def _shortest(
    moves: Iterable[tuple[MemorySpace, MemorySpace]], source: MemorySpace, target: MemorySpace
) -> tuple[MemorySpace, ...]:
    onward: dict[MemorySpace, list[MemorySpace]] = {}
    for start, end in sorted(moves, key=lambda move: (move[0].value, move[1].value)):
        onward.setdefault(start, []).append(end)
    before: dict[MemorySpace, MemorySpace | None] = {source: None}
    queue = deque([source])
    while queue:
        place = queue.popleft()
        if place is target:
            way = [place]
            while (previous := before[way[-1]]) is not None:
                way.append(previous)
            return tuple(reversed(way))
        for following in onward.get(place, ()):
            if following not in before:
                before[following] = place
                queue.append(following)
    return ()
