"""Values that run time chooses among: their scalars become variables of the program, their kind stays known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .. import scalar
from ..dtype import INT64, DType
from ..evaluate.values import Unknown, Value
from ..scalar import ScalarLike
from .cells import Cell
from .current import tracer
from .scalars import as_value, dtype_of, is_scalar, lower, promoted
from .structs import Field, NamedTuple, Struct
from .tensors import GlobalPointer, Tensor
from .tiles import Pointer, Slot, Tile

Leaf = tuple[ScalarLike, DType]


def leaves(value: Value) -> Iterator[Leaf]:
    """The scalars on which a value depends, in a fixed order; none for a value that cannot vary."""
    if is_scalar(value):
        yield lower(value), dtype_of(value)
    elif isinstance(value, Tile):
        for part in (value.address, *value.valid, *value.mutex):
            yield part, INT64
    elif isinstance(value, (Pointer, Tensor, GlobalPointer)):
        yield value.offset, INT64
    elif isinstance(value, Struct):
        yield value.index, INT64
    elif isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, NamedTuple):
        for item in value.values.values():
            yield from leaves(item)


def rebuild(value: Value, parts: Iterator[ScalarLike]) -> Value:
    """`value` with other scalars, taken from `parts` in the order of `leaves`."""
    if is_scalar(value):
        return as_value(next(parts), dtype_of(value))
    if isinstance(value, Tile):
        return _moved(value, parts)
    if isinstance(value, Pointer):
        return Pointer(value.tile, next(parts))
    if isinstance(value, Tensor):
        return Tensor(value.buffer, value.dtype, value.shape, value.strides, next(parts), value.layout)
    if isinstance(value, GlobalPointer):
        return GlobalPointer(value.buffer, value.dtype, next(parts))
    if isinstance(value, Struct):
        return Struct(value.elements, next(parts))
    if isinstance(value, tuple):
        return tuple(rebuild(item, parts) for item in value)
    if isinstance(value, NamedTuple):
        return NamedTuple({name: rebuild(item, parts) for name, item in value.values.items()})
    return value


def _moved(tile: Tile, parts: Iterator[ScalarLike]) -> Tile:
    address, rows, columns = next(parts), next(parts), next(parts)
    mutex = tuple(next(parts) for _ in tile.mutex)
    if (address, (rows, columns), mutex) == (tile.address, tile.valid, tile.mutex):
        return tile
    cells = (tracer().cell("rows", rows, INT64), tracer().cell("columns", columns, INT64))
    return Tile([Slot(tile.type, address, *cells, mutex, tile.candidates, tile.name, tile.slots[0].strides)])


def alike(left: Value, right: Value) -> bool:
    """Whether two values differ at most in their scalars."""
    if left is right:
        return True
    if is_scalar(left) and is_scalar(right):
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, Tile):
        return bool(left.type == right.type) and len(left.mutex) == len(right.mutex)
    if isinstance(left, Pointer):
        return bool(left.tile is right.tile)
    if isinstance(left, Tensor):
        return bool((left.buffer, left.shape, left.strides) == (right.buffer, right.shape, right.strides))
    if isinstance(left, GlobalPointer):
        return bool((left.buffer, left.dtype) == (right.buffer, right.dtype))
    if isinstance(left, Struct):
        return _same_fields(left, right)
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, NamedTuple):
        return left.values.keys() == right.values.keys() and all(
            alike(left.values[name], right.values[name]) for name in left.values
        )
    return _equal(left, right)


def _equal(left: Value, right: Value) -> bool:
    try:
        return bool(left == right)
    except Exception:
        return False


Join = Callable[[Leaf, Leaf], ScalarLike]


def merge(left: Value, right: Value, join: Join) -> Value:
    """The value that is `left` or `right`; `join` makes a scalar of two that differ."""
    if left is right:
        return left
    if not alike(left, right):
        return Unknown("differs between paths")
    if isinstance(left, Tile):
        return _merged_tile(left, right, join)
    if isinstance(left, Struct) and left.elements != right.elements:
        return _merged_struct(left, right, join)
    if isinstance(left, NamedTuple):
        return NamedTuple({name: merge(value, right.values[name], join) for name, value in left.values.items()})
    if isinstance(left, tuple):
        return tuple(merge(a, b, join) for a, b in zip(left, right, strict=True))
    if is_scalar(left):
        return _merged_scalar(left, right, join)
    pairs = zip(leaves(left), leaves(right), strict=True)
    return rebuild(left, iter([a[0] if a[0] == b[0] else join(a, b) for a, b in pairs]))


def _merged_scalar(left: Value, right: Value, join: Join) -> Value:
    a, b = (lower(left), dtype_of(left)), (lower(right), dtype_of(right))
    dtype = a[1] if a[1] == b[1] else promoted(a[1], b[1])
    if a[0] == b[0] and a[1] == b[1]:
        return left
    return as_value(join((a[0], dtype), (b[0], dtype)), dtype)


def _merged_tile(left: Tile, right: Tile, join: Join) -> Tile:
    if left.slots == right.slots:
        index = left.index if left.index == right.index else join((left.index, INT64), (right.index, INT64))
        return Tile(left.slots, index)
    shifted = scalar.add(right.index, len(left.slots))
    return Tile((*left.slots, *right.slots), join((left.index, INT64), (shifted, INT64)))


def _same_fields(left: Struct, right: Struct) -> bool:
    a, b = left.elements[0], right.elements[0]
    return a.keys() == b.keys() and all(_width(a[name]) == _width(b[name]) for name in a)


def _width(field: Field) -> int | None:
    return len(field) if isinstance(field, list) else None


def _merged_struct(left: Struct, right: Struct, join: Join) -> Struct:
    """A structure of its own: it holds what the one or the other holds now."""

    def cell(a: Cell, b: Cell) -> Cell:
        value = a.value if a.value == b.value else join((a.value, a.dtype), (b.value, b.dtype))
        return tracer().cell(a.name, value, a.dtype)

    fields: dict[str, Field] = {}
    for name in left.elements[0]:
        columns = [(left.cells(name, at), right.cells(name, at)) for at in range(_width(left.elements[0][name]) or 1)]
        made = [cell(left.snapshot(a), right.snapshot(b)) for a, b in columns]
        fields[name] = made if isinstance(left.elements[0][name], list) else made[0]
    return Struct([fields])


def choose_value(index: ScalarLike, items: Sequence[Value]) -> Value:
    """`items[index]`, for an index that only run time knows."""
    result = items[-1]
    for position in range(len(items) - 2, -1, -1):
        condition = scalar.apply("eq", index, position)
        result = merge(items[position], result, lambda a, b, test=condition: choose_leaf(test, a, b))  # type: ignore[misc]
    return result


def choose_leaf(condition: ScalarLike, left: Leaf, right: Leaf) -> ScalarLike:
    """`left` where `condition` holds, else `right`."""
    return scalar.apply("select", condition, left[0], right[0])
