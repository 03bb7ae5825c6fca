"""How the axes of the two sides of a reshape correspond, and where windows go when it moves past them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scalar import ScalarLike, add, known, mul
from .windows import Extents

Offset = tuple[ScalarLike, ...]
Shape = tuple[ScalarLike, ...]


@dataclass(frozen=True, slots=True)
class AxisGroup:
    """Adjacent axes of the source that hold as many elements as adjacent axes of the target."""

    source: slice
    target: slice


def axis_groups(source: Extents, target: Extents) -> list[AxisGroup] | None:
    """The smallest groups, from the first axis on; None where the shapes cannot be divided so."""
    groups: list[AxisGroup] = []
    i = j = 0
    while i < len(source) and j < len(target):
        first_i, first_j = i, j
        left, right = source[i], target[j]
        i, j = i + 1, j + 1
        while left != right:
            if left < right and i < len(source):
                left, i = left * source[i], i + 1
            elif right < left and j < len(target):
                right, j = right * target[j], j + 1
            else:
                return None
        groups.append(AxisGroup(slice(first_i, i), slice(first_j, j)))
    return groups if i == len(source) and j == len(target) else None


def collapsed(shape: Sequence[ScalarLike], groups: Sequence[AxisGroup]) -> Shape | None:
    """`shape`, on the source's side, with each group of axes made one; None where a group is no such collapse."""
    result: list[ScalarLike] = []
    for group in groups:
        sizes = shape[group.source]
        if group.target.stop - group.target.start != 1:
            return None
        product: ScalarLike = 1
        for size in sizes:
            product = mul(product, size)
        result.append(product)
    return tuple(result)


def collapsed_offset(offset: Sequence[ScalarLike], shape: Sequence[ScalarLike], groups: Sequence[AxisGroup]) -> Offset:
    """Where the element at `offset` of `shape` is once each group of axes is one."""
    result: list[ScalarLike] = []
    for group in groups:
        position: ScalarLike = 0
        for start, size in zip(offset[group.source], shape[group.source], strict=True):
            position = add(mul(position, size), start)
        result.append(position)
    return tuple(result)


def stays_contiguous(
    offset: Sequence[ScalarLike],
    region: Sequence[ScalarLike],
    shape: Sequence[ScalarLike],
    groups: Sequence[AxisGroup],
) -> bool:
    """Whether `region` at `offset` of `shape` is an interval within each group of axes that becomes one."""
    return all(
        _is_interval(offset[group.source], region[group.source], shape[group.source])
        for group in groups
        if group.source.stop - group.source.start > 1
    )


def _is_interval(offset: Sequence[ScalarLike], region: Sequence[ScalarLike], shape: Sequence[ScalarLike]) -> bool:
    """Single elements along the first axes, any part of the next one, all of the rest."""
    axis = next((axis for axis, size in enumerate(region) if size != 1), len(region))
    rest = range(axis + 1, len(shape))
    return all(region[i] == shape[i] and (not known(offset[i]) or offset[i] == 0) for i in rest)
