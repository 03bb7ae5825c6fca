"""Which parts of which memory operations touch, and the order that follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from ..ir.graph import LogicalTensor, Operation, RawTensor
from ..scalar import ScalarLike, Symbol, linear, sub
from .tiles import is_alias, linear_offset, on_chip, root, strides

_UNBOUNDED: ScalarLike = Symbol("unbounded")
_IN_PLACE_GLOBAL = frozenset({"INDEX_OUTCAST", "INDEX_ADD", "INDEX_PUT", "ATOMIC_RMW", "REDUCE_ACC", "ASSEMBLE_SSA"})


@dataclass(frozen=True, slots=True)
class Access:
    """A window of a raw tensor that is read or written."""

    raw: RawTensor
    offset: tuple[ScalarLike, ...]
    shape: tuple[ScalarLike, ...]
    writes: bool

    @property
    def storage(self) -> int:
        return root(self.raw).id


def window_access(tensor: LogicalTensor, writes: bool) -> Access:
    """The access to all of a logical tensor."""
    return Access(tensor.raw, tensor.offset, tensor.shape, writes)


def accesses(operation: Operation) -> Iterable[Access]:
    """Every access of an operation, reads first; an update in place is both, a new name for global memory is none."""
    if is_alias(operation) and not on_chip(operation.inputs[0]):
        return
    for tensor in operation.inputs:
        yield window_access(tensor, False)
    for tensor in operation.outputs:
        if operation.opcode in _IN_PLACE_GLOBAL:
            yield window_access(tensor, False)
        yield window_access(tensor, True)


def overlap(left: Access, right: Access) -> bool:
    """Whether two accesses may touch the same element; true where that cannot be ruled out."""
    if left.storage != right.storage:
        return False
    if _same_frame(left.raw, right.raw):
        pairs = zip(left.offset, left.shape, right.offset, right.shape, strict=True)
        return not any(_apart(a, m, b, n) for a, m, b, n in pairs)
    first, first_size = _span(left)
    second, second_size = _span(right)
    return not _apart(first, first_size, second, second_size)


def _same_frame(left: RawTensor, right: RawTensor) -> bool:
    if left is right:
        return True
    return left.shape == right.shape and left.base == right.base and strides(left) == strides(right)


def _apart(start: ScalarLike, size: ScalarLike, other: ScalarLike, other_size: ScalarLike) -> bool:
    """Whether `[start, start + size)` and the other interval are certainly disjoint."""
    if isinstance(start, int) and isinstance(other, int):
        distance = other - start
    else:
        form = linear(sub(other, start))
        if form is None or form[0]:
            return False
        distance = form[1]
    if distance >= 0:
        return isinstance(size, int) and distance >= size
    return isinstance(other_size, int) and -distance >= other_size


def _span(access: Access) -> tuple[ScalarLike, ScalarLike]:
    """First element and number of elements of the interval of storage that an access lies in."""
    start = linear_offset(access.raw, access.offset)
    last = 0
    for extent, step in zip(access.shape, strides(access.raw), strict=True):
        if not isinstance(extent, int) or not isinstance(step, int):
            return start, _UNBOUNDED
        last += (extent - 1) * step
    return start, last + 1


class _Index:
    """Accesses to one storage, found by where they lie.

    Windows of the first one's frame are kept by the cells of a grid that they touch, cells being as large as the first
    window; any other access is kept in a list that every search looks through.
    """

    def __init__(self, first: Access) -> None:
        self._frame = first.raw
        self._cell = tuple(extent if isinstance(extent, int) and extent > 0 else 1 for extent in first.shape)
        self._terms = [_position(start)[0] for start in first.offset]
        self._cells: dict[tuple[int, ...], list[tuple[Access, int]]] = {}
        self._others: list[tuple[Access, int]] = []

    def add(self, access: Access, holder: int) -> None:
        entry = (access, holder)
        touched = self._touched(access)
        if touched is None:
            self._others.append(entry)
            return
        for cell in touched:
            self._cells.setdefault(cell, []).append(entry)

    def near(self, access: Access) -> Iterable[tuple[Access, int]]:
        """Every entry that may overlap `access`."""
        yield from self._others
        touched = self._touched(access)
        if touched is None:
            for entries in self._cells.values():
                yield from entries
            return
        for cell in touched:
            yield from self._cells.get(cell, ())

    def forget(self, access: Access) -> None:
        """Drop the entries of exactly the window of `access`."""
        touched = self._touched(access)
        lists = [self._others] if touched is None else [self._cells[cell] for cell in touched if cell in self._cells]
        for entries in lists:
            entries[:] = [entry for entry in entries if not _same_window(entry[0], access)]

    def _touched(self, access: Access) -> list[tuple[int, ...]] | None:
        if not _same_frame(self._frame, access.raw):
            return None
        axes: list[range] = []
        for start, extent, cell, terms in zip(access.offset, access.shape, self._cell, self._terms, strict=True):
            own, position = _position(start)
            if own != terms or not isinstance(extent, int):
                return None
            axes.append(range(position // cell, (position + max(extent, 1) - 1) // cell + 1))
        return list(product(*axes))


def _position(start: ScalarLike) -> tuple[object, int]:
    """An offset as its symbolic part, in a comparable form, and its constant part."""
    if isinstance(start, int):
        return (), start
    form = linear(start)
    if form is None:
        return start, 0
    return tuple(sorted((str(term), factor) for term, factor in form[0].items())), form[1]


class History:
    """Accesses so far, per storage; `order` says which earlier holders a new access must wait for."""

    def __init__(self) -> None:
        self._writes: dict[int, _Index] = {}
        self._reads: dict[int, _Index] = {}

    def order(self, holder: int, new: Iterable[Access]) -> set[int]:
        """Earlier holders with an access that conflicts with one of `new`, which is then recorded for `holder`."""
        waits: set[int] = set()
        recorded = list(new)
        for access in recorded:
            tables = (self._writes, self._reads) if access.writes else (self._writes,)
            for table in tables:
                if access.storage in table:
                    near = table[access.storage].near(access)
                    waits.update(other for past, other in near if other not in waits and overlap(past, access))
        for access in recorded:
            if access.writes:
                self._forget(access)
            table = self._writes if access.writes else self._reads
            if access.storage not in table:
                table[access.storage] = _Index(access)
            table[access.storage].add(access, holder)
        waits.discard(holder)
        return waits

    def _forget(self, access: Access) -> None:
        """Drop what `access` overwrites as a whole: who waits for the new write waits for the old ones too."""
        for table in (self._writes, self._reads):
            if access.storage in table:
                table[access.storage].forget(access)


def _same_window(left: Access, right: Access) -> bool:
    return _same_frame(left.raw, right.raw) and left.offset == right.offset and left.shape == right.shape
