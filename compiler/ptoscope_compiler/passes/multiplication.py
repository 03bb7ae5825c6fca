"""Calls compiled for one tile of each kind, repeated for all tiles: the other half of `tile_classes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod

from ..ir.execute import ExecuteGraph, LeafCall
from ..ir.graph import LogicalTensor, RawTensor
from ..scalar import ScalarLike, add, sub
from .regions import Region
from .windows import static_shape


class NotUniform(Exception):
    """A call spans several tiles, so that it cannot be repeated; the graph has to be compiled whole."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A class of axes: `count` full periods of `period` elements stood where one stands now; a tail may follow."""

    period: int
    count: int


@dataclass(frozen=True, slots=True)
class Place:
    """An axis of storage outside the graph belongs to a class, and counts from `base`."""

    axis_class: int
    base: ScalarLike


@dataclass(frozen=True, slots=True)
class Multiplication:
    """The shortened classes, and which axes of outer storage (by raw tensor id and axis) are in them."""

    classes: tuple[Shortened, ...] = ()
    places: Mapping[int, Mapping[int, Place]] = field(default_factory=dict)

    @property
    def trivial(self) -> bool:
        return not self.classes


def multiply(execute: ExecuteGraph, multiplication: Multiplication) -> ExecuteGraph:
    """`execute` for the full graph; NotUniform where a call spans more than one tile of a shortened class."""
    if multiplication.trivial:
        return execute
    return _Multiplier(execute, multiplication).run()


Kinds = dict[int, bool]
"""Per class that a call works on: True on the period that repeats, False on the tail."""


class _Multiplier:
    """Repeats calls. Workspace within the graph gets one copy per repetition of the calls that write it."""

    def __init__(self, execute: ExecuteGraph, multiplication: Multiplication) -> None:
        self.execute, self.by = execute, multiplication
        self.written: dict[int, list[Region[Kinds] | Kinds]] = {}
        """Windows of workspace by raw tensor id, each with the kinds of the call that writes it."""

    def run(self) -> ExecuteGraph:
        kinds = [self._kinds(call) for call in self.execute.calls]
        raws: dict[int, RawTensor] = {}
        pairs = zip(self.execute.calls, kinds, strict=True)
        return replace(self.execute, calls=tuple(self._multiplied(call, kind, raws) for call, kind in pairs))

    def _kinds(self, call: LeafCall) -> Kinds:
        """The kinds of a call, by its windows of outer storage and by who wrote the workspace that it reads."""
        kinds: Kinds = {}
        for operand, raw in zip(call.operands, call.raws, strict=True):
            for axis, place in self.by.places.get(raw.id, {}).items():
                _agree(kinds, {place.axis_class: self._on_period(call, operand, axis, place)}, call)
            for written in self.written.get(raw.id, ()):
                if not isinstance(written, Region):
                    _agree(kinds, written, call)
                elif _meets(written, operand):
                    _agree(kinds, written.item, call)
        self._note_writes(call, kinds)
        return kinds

    def _on_period(self, call: LeafCall, operand: LogicalTensor, axis: int, place: Place) -> bool:
        period = self.by.classes[place.axis_class].period
        start, size = sub(operand.offset[axis], place.base), operand.shape[axis]
        if not isinstance(start, int) or not isinstance(size, int) or start < period < start + size:
            raise NotUniform(call.leaf)
        return start < period

    def _note_writes(self, call: LeafCall, kinds: Kinds) -> None:
        inputs = len(self.execute.leaves[call.leaf].graph.inputs)
        for operand, raw in list(zip(call.operands, call.raws, strict=True))[inputs:]:
            if not self._is_workspace(raw):
                continue
            offset, shape = static_shape(operand.offset), static_shape(operand.shape)
            known = offset is not None and shape is not None
            region = Region(offset, shape, kinds) if offset is not None and shape is not None and known else kinds
            self.written.setdefault(raw.id, []).append(region)

    def _is_workspace(self, raw: RawTensor) -> bool:
        return not raw.parameter and raw.id not in self.by.places

    def _multiplied(self, call: LeafCall, kinds: Kinds, raws: dict[int, RawTensor]) -> LeafCall:
        repeated = [c for c in sorted(kinds) if kinds[c] and self.by.classes[c].count > 1]
        if repeated and any(operand.raw.id != raw.id for operand, raw in zip(call.operands, call.raws, strict=True)):
            raise NotUniform(call.leaf)
        pairs = list(zip(call.operands, call.raws, strict=True))
        full = [self._full(raw, raws) for raw in call.raws]
        operands = tuple(
            replace(
                operand, raw=whole if operand.raw.id == raw.id else operand.raw, offset=self._moved(operand, raw, kinds)
            )
            for (operand, raw), whole in zip(pairs, full, strict=True)
        )
        grid = tuple(self.by.classes[c].count for c in repeated)
        strides = tuple(tuple(self._stride(operand, raw, c) for operand, raw in pairs) for c in repeated)
        return replace(
            call, operands=operands, raws=tuple(full), grid=(*call.grid, *grid), strides=(*call.strides, *strides)
        )

    def _copies(self, raw: RawTensor) -> list[int]:
        """The classes over which a workspace is repeated."""
        if not self._is_workspace(raw):
            return []
        found = set()
        for written in self.written.get(raw.id, ()):
            kinds = written.item if isinstance(written, Region) else written
            found |= {c for c, on_period in kinds.items() if on_period}
        return sorted(found)

    def _full(self, raw: RawTensor, raws: dict[int, RawTensor]) -> RawTensor:
        """The storage for all repetitions: copies of a workspace follow each other along axis 0."""
        if raw.id not in raws:
            copies = prod(self.by.classes[c].count for c in self._copies(raw))
            shape = raw.shape if copies == 1 else (_rows(raw) * copies, *raw.shape[1:])
            raws[raw.id] = raw if copies == 1 else replace(raw, shape=shape)
        return raws[raw.id]

    def _moved(self, operand: LogicalTensor, raw: RawTensor, kinds: Kinds) -> tuple[ScalarLike, ...]:
        """The offset in full storage: the tail lies behind all the periods."""
        offset = list(operand.offset)
        for axis, place in self.by.places.get(raw.id, {}).items():
            shortened = self.by.classes[place.axis_class]
            if not kinds[place.axis_class]:
                offset[axis] = add(offset[axis], shortened.period * (shortened.count - 1))
        return tuple(offset)

    def _stride(self, operand: LogicalTensor, raw: RawTensor, axis_class: int) -> tuple[int, ...]:
        """How far apart two repetitions along a class are in an operand, per axis."""
        step = [0] * operand.rank
        for axis, place in self.by.places.get(raw.id, {}).items():
            if place.axis_class == axis_class:
                step[axis] = self.by.classes[axis_class].period
        copies = self._copies(raw)
        if axis_class in copies:
            inner = prod(self.by.classes[c].count for c in copies if c > axis_class)
            step[0] = _rows(raw) * inner
        return tuple(step)


def _agree(kinds: Kinds, others: Mapping[int, bool], call: LeafCall) -> None:
    for axis_class, on_period in others.items():
        if kinds.setdefault(axis_class, on_period) != on_period:
            raise NotUniform(call.leaf)


def _meets(region: Region[Kinds], operand: LogicalTensor) -> bool:
    """Whether an operand may touch a region; assumed where its place is known only at run time."""
    offset, shape = static_shape(operand.offset), static_shape(operand.shape)
    return offset is None or shape is None or region.meets(Region(offset, shape, region.item))


def _rows(raw: RawTensor) -> int:
    if not isinstance(raw.shape[0], int):
        raise NotUniform(raw.name)
    return raw.shape[0]
