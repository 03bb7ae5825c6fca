"""How operations change shapes. A dimension is an int or Unknown; a shape of unknown rank is None."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..values import Unknown, Value, is_unknown

Shape = tuple[Value, ...]


def dimension(value: Value) -> Value:
    """`value` as a dimension."""
    return value if isinstance(value, int) else Unknown("dimension")


def shape_of(value: Value) -> Shape | None:
    """A shape given as a sequence or a single dimension."""
    if isinstance(value, (list, tuple)):
        return tuple(map(dimension, value))
    return (value,) if isinstance(value, int) else None


def size(shape: Shape) -> Value:
    """The number of elements."""
    return Unknown("size") if any(map(is_unknown, shape)) else math.prod(shape)


def broadcast(left: Shape | None, right: Shape | None) -> Shape | None:
    """The shape of an element-wise operation; None where the shapes do not fit."""
    if left is None or right is None:
        return None
    length = max(len(left), len(right))
    padded = [(1,) * (length - len(shape)) + shape for shape in (left, right)]
    return tuple(_wider(a, b) for a, b in zip(*padded, strict=True))


def _wider(left: Value, right: Value) -> Value:
    if isinstance(left, int) and left == 1:
        return right
    if isinstance(right, int) and right == 1:
        return left
    return left if left == right else Unknown("dimension")


def matmul(left: Shape | None, right: Shape | None) -> Shape | None:
    """The shape of `left @ right`."""
    if left is None or right is None or not left or not right:
        return None
    if len(right) == 1:
        return left[:-1]
    if len(left) == 1:
        return (*right[:-2], right[-1])
    batch = broadcast(left[:-2], right[:-2])
    return None if batch is None else (*batch, left[-2], right[-1])


def axis(value: Value, rank: int) -> int | None:
    """A non-negative axis; None where it is not known or out of range."""
    if not isinstance(value, int) or not -rank <= value < rank:
        return None
    return value % rank


def axes(value: Value, rank: int) -> list[int] | None:
    """Axes given as None (all), an axis or a sequence."""
    if value is None:
        return list(range(rank))
    given = value if isinstance(value, (list, tuple)) else (value,)
    found = [axis(item, rank) for item in given]
    return None if any(item is None for item in found) else [item for item in found if item is not None]


def reduced(shape: Shape, over: Sequence[int], keep: bool) -> Shape:
    """`shape` without the axes `over`, or with ones there."""
    if keep:
        return tuple(1 if index in over else extent for index, extent in enumerate(shape))
    return tuple(extent for index, extent in enumerate(shape) if index not in over)


def reshaped(shape: Shape | None, target: Shape | None) -> Shape | None:
    """`target` with its -1 resolved."""
    if target is None or not any(isinstance(extent, int) and extent == -1 for extent in target):
        return target
    rest = [extent for extent in target if extent != -1]
    total = Unknown("size") if shape is None else size(shape)
    known = not is_unknown(total) and not any(map(is_unknown, rest)) and math.prod(rest) > 0
    missing: Value = total // math.prod(rest) if known else Unknown("dimension")
    return tuple(missing if extent == -1 else extent for extent in target)


def indexed(shape: Shape, key: Value) -> Shape | None:
    """The shape of `array[key]`; None where an index is not a number or a slice."""
    keys = list(key) if isinstance(key, tuple) else [key]
    consumed = sum(1 for part in keys if part is not None and part is not Ellipsis)
    if Ellipsis not in [part for part in keys if part is None or part is Ellipsis]:
        keys.append(Ellipsis)
    position = next(index for index, part in enumerate(keys) if part is Ellipsis)
    keys[position : position + 1] = [slice(None)] * (len(shape) - consumed)
    result: list[Value] = []
    source = iter(shape)
    for part in keys:
        if part is None:
            result.append(1)
            continue
        extent = next(source, Unknown("dimension"))
        if isinstance(part, slice):
            result.append(_sliced(extent, part))
        elif not isinstance(part, int) and not is_unknown(part):
            return None
    return tuple(result)


def _sliced(extent: Value, part: slice) -> Value:
    limits = (part.start, part.stop, part.step)
    if not isinstance(extent, int):
        return extent if limits == (None, None, None) else Unknown("dimension")
    if not all(limit is None or isinstance(limit, int) for limit in limits):
        return Unknown("dimension")
    return len(range(*part.indices(extent)))


def nested(data: Value) -> Shape | None:
    """The shape of nested lists of numbers."""
    if not isinstance(data, (list, tuple)):
        return None if is_unknown(data) else ()
    if not data:
        return (0,)
    inner = nested(data[0])
    return None if inner is None else (len(data), *inner)
