"""Tiles, groups of tiles and pointers into tiles, as values of the evaluator.

A tile value is a choice among slots: `index` may be known at run time only (the cursor of a group, a branch). Each slot
has its own valid extent, which `pl.set_validshape` changes. Cursor and slots: `_buffer_parser.py` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import scalar
from ..dtype import INT64
from ..evaluate.site import Site
from ..evaluate.values import Abstract, Unsupported, Value, is_unknown
from ..hardware import Layout
from ..pto import operands as pto
from ..scalar import Scalar, ScalarLike
from .cells import Cell, choose, store
from .current import tracer
from .declarations import ElementType, Function
from .scalars import as_value, describe, is_scalar, lower


@dataclass(eq=False)
class Slot:
    """One tile in a buffer: where it lies, its valid extent, and the buffer tokens that guard it.

    `candidates` are all tokens that the tile's group has: two tiles whose candidates meet may share a token.
    """

    type: pto.TileType
    address: ScalarLike
    rows: Cell
    columns: Cell
    mutex: tuple[ScalarLike, ...] = ()
    candidates: tuple[int, ...] = ()
    name: str = ""
    strides: tuple[int, ...] | None = None


class Tile(Abstract):
    """`slots[index]`."""

    type_name = "tile"

    def __init__(self, slots: Sequence[Slot], index: ScalarLike = 0) -> None:
        self.slots = tuple(slots)
        self.index = index

    @property
    def type(self) -> pto.TileType:
        return self.slots[0].type

    @property
    def address(self) -> ScalarLike:
        return choose(self.index, [slot.address for slot in self.slots])

    @property
    def valid(self) -> tuple[ScalarLike, ScalarLike]:
        rows = choose(self.index, [slot.rows.value for slot in self.slots])
        return rows, choose(self.index, [slot.columns.value for slot in self.slots])

    @property
    def mutex(self) -> tuple[ScalarLike, ...]:
        """Buffer tokens of the chosen slot."""
        return tuple(choose(self.index, column) for column in zip(*(slot.mutex for slot in self.slots), strict=False))

    @property
    def candidates(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(token for slot in self.slots for token in slot.candidates))

    @property
    def name(self) -> str:
        return self.slots[0].name

    def set_valid(self, rows: ScalarLike, columns: ScalarLike) -> None:
        store([slot.rows for slot in self.slots], self.index, rows)
        store([slot.columns for slot in self.slots], self.index, columns)

    def operand(self) -> pto.Tile:
        """This tile as an operand, with the valid extent that it has now."""
        return pto.Tile(self.type, self.address, self.valid, self.name, self.slots[0].strides)

    def memory(self) -> pto.Tile:
        """The tile's bytes as one row of elements, in the order of memory."""
        elements = self.type.elements
        flat = pto.TileType(self.type.dtype, (elements,), self.type.space)
        return pto.Tile(flat, self.address, (elements,), self.name)

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "shape":
            return self.type.shape
        if name == "valid_shape":
            return tuple(as_value(extent, INT64) for extent in self.valid)
        if name == "dtype":
            return ElementType(self.type.dtype)
        raise Unsupported(f"a tile has no attribute '{name}'")

    def get_item(self, key: Value, site: Site) -> Value:
        if is_unknown(key):
            return key
        if isinstance(key, tuple) and any(isinstance(part, slice) for part in key):
            return subtile(self, key)
        if tracer().in_vector_function:
            return pointer_at(self, element_offset(self, key))
        return tracer().elements.read(self, key, site)

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        if not is_unknown(key) and not is_unknown(value):
            tracer().elements.write(self, key, value, site)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator == "+" and is_scalar(other) and tracer().in_vector_function:
            return pointer_at(self, lower(other))
        if operator in ("is", "is not"):
            return (operator == "is") == (other is self)
        raise Unsupported(f"a tile does not support '{operator}'; use pl.add(out, lhs, rhs) and its like")

    def describe(self) -> str:
        extents = ", ".join(map(str, self.type.shape))
        return f"Tile [{extents}] {self.type.dtype} in {self.type.space.value} at {scalar.text(self.address)}"


class Pointer(Abstract):
    """An address within a tile, in a vector function: `offset` in elements of the tile.

    Accesses with post-update move a pointer that has a `cell`.
    """

    type_name = "tile pointer"

    def __init__(self, tile: Tile, offset: ScalarLike, cell: Cell | None = None) -> None:
        self.tile = tile
        self._offset = offset
        self._cell = cell

    @property
    def offset(self) -> ScalarLike:
        return self._offset if self._cell is None else self._cell.value

    def advance(self, elements: ScalarLike) -> None:
        """Move on, as post-update does."""
        if self._cell is not None:
            self._cell.value = scalar.add(self._cell.value, elements)

    def get_attribute(self, name: str, site: Site) -> Value:
        return self.tile.get_attribute(name, site)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator == "+" and is_scalar(other):
            return pointer_at(self.tile, scalar.add(self.offset, lower(other)))
        raise Unsupported(f"a tile pointer does not support '{operator}'")

    def get_item(self, key: Value, site: Site) -> Value:
        return pointer_at(self.tile, scalar.add(self.offset, element_offset(self.tile, key)))

    def describe(self) -> str:
        return f"{self.tile.describe()} + {scalar.text(self.offset)}"


def pointer_at(tile: Tile, offset: ScalarLike) -> Pointer:
    """A pointer that accesses with post-update may move."""
    return Pointer(tile, 0, tracer().cell("pointer", offset, INT64))


def element_offset(tile: Tile, key: Value) -> ScalarLike:
    """Elements from the start of the tile to `key`: one linear index, or row and column."""
    if not isinstance(key, tuple):
        return lower(key)
    if len(key) != 2:
        raise Unsupported(f"a tile has two axes, not {len(key)}")
    row, column = lower(key[0]), lower(key[1])
    rows, columns = tile.type.shape[-2:]
    if tile.type.layout is Layout.DN:
        return scalar.add(scalar.mul(column, rows), row)
    return scalar.add(scalar.mul(row, columns), column)


def subtile(tile: Tile, key: tuple[Value, ...]) -> Tile:
    """`tile[r0:r1, c0:c1]`: part of a tile, at its parent's pitch; its valid extent ends where the parent's does."""
    if len(key) != 2 or tile.type.layout not in (Layout.ND, Layout.DN):
        raise Unsupported("only two-dimensional ND and DN tiles can be sliced")
    corners, extents = [], []
    for part, size, valid in zip(key, tile.type.shape, tile.valid, strict=False):
        start, stop = _bounds(part, size)
        corners.append(start)
        extents.append(scalar.minimum(scalar.sub(stop, start), scalar.maximum(scalar.sub(valid, start), 0)))
    rows, columns = tile.type.shape
    column_major = tile.type.layout is Layout.DN
    strides = tile.slots[0].strides or ((1, rows) if column_major else (columns, 1))
    shift = scalar.add(scalar.mul(corners[0], strides[0]), scalar.mul(corners[1], strides[1]))
    address = scalar.add(tile.address, scalar.mul(shift, tile.type.dtype.bytes))
    state = tracer()
    cells = (state.cell("rows", extents[0], INT64), state.cell("columns", extents[1], INT64))
    slot = Slot(tile.type, address, *cells, tile.mutex, tile.candidates, tile.name, strides)
    return Tile([slot])


def _bounds(part: Value, size: int) -> tuple[ScalarLike, ScalarLike]:
    if not isinstance(part, slice):
        start = lower(part)
        return start, scalar.add(start, 1)
    if part.step is not None:
        raise Unsupported("a slice of a tile has no step")
    start = 0 if part.start is None else lower(part.start)
    return start, size if part.stop is None else lower(part.stop)


class TileGroup(Abstract):
    """Tiles that rotate: `next()`, `current()` and `previous()` follow a cursor, `group[i]` does not."""

    type_name = "tile group"

    def __init__(self, slots: Sequence[Slot]) -> None:
        self.slots = tuple(slots)
        self.cursor = tracer().cell("cursor", len(self.slots) - 1, INT64)

    def get_attribute(self, name: str, site: Site) -> Value:
        methods = {"next": self._next, "current": self._current, "previous": self._previous}
        if name not in methods:
            raise Unsupported(f"a tile group has no '{name}'; it has next(), current(), previous() and [i]")
        return Function(name, methods[name])

    def _next(self) -> Tile:
        self.cursor.value = scalar.add(self.cursor.value, 1)
        return self._current()

    def _current(self) -> Tile:
        return self._at(self.cursor.value)

    def _previous(self) -> Tile:
        return self._at(scalar.add(self.cursor.value, len(self.slots) - 1))

    def _at(self, position: ScalarLike) -> Tile:
        return self._choose(scalar.apply("rem", position, len(self.slots)))

    def _choose(self, index: ScalarLike) -> Tile:
        if isinstance(index, Scalar):
            index = tracer().hold("slot", index)
        return Tile(self.slots, index)

    def get_item(self, key: Value, site: Site) -> Value:
        if is_unknown(key):
            return key
        if not is_scalar(key):
            raise Unsupported(f"the index of a tile group is an integer, not {describe(key)}")
        index = lower(key)
        if not isinstance(index, Scalar) and not 0 <= int(index) < len(self.slots):
            raise Unsupported(f"tile group index {index} is outside 0..{len(self.slots) - 1}")
        return self._choose(index)

    def describe(self) -> str:
        return f"{len(self.slots)} × {Tile(self.slots).describe()}"
