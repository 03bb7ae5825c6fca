"""Rectangles within a tensor: which tiles lie in which, found through an index of their offsets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

Extents = tuple[int, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Region(Generic[T]):
    """A rectangle and what it stands for."""

    offset: Extents
    shape: Extents
    item: T

    def within(self, offset: Extents, shape: Extents) -> bool:
        """Whether this lies in the rectangle given."""
        return all(
            outer <= start and start + size <= outer + extent
            for start, size, outer, extent in zip(self.offset, self.shape, offset, shape, strict=True)
        )

    def meets(self, other: Region[T]) -> bool:
        """Whether the two have an element in common."""
        return all(
            a < b + m and b < a + n
            for a, n, b, m in zip(self.offset, self.shape, other.offset, other.shape, strict=True)
        )


class RegionIndex(Generic[T]):
    """Regions of one tensor, by offset."""

    def __init__(self, regions: Iterable[Region[T]]) -> None:
        self.regions = tuple(regions)
        self._places: dict[Extents, list[int]] = {}
        for place, region in enumerate(self.regions):
            self._places.setdefault(region.offset, []).append(place)
        rank = len(self.regions[0].offset) if self.regions else 0
        self._starts = [sorted({region.offset[axis] for region in self.regions}) for axis in range(rank)]

    @property
    def overlapping_starts(self) -> bool:
        """Whether two regions start at the same place."""
        return len(self._places) < len(self.regions)

    def inside(self, offset: Extents, shape: Extents) -> list[Region[T]]:
        """The regions that lie within a rectangle, in their original order."""
        ranges = [
            starts[bisect_left(starts, low) : bisect_left(starts, low + size)]
            for starts, low, size in zip(self._starts, offset, shape, strict=True)
        ]
        places: list[int] = []
        for start in product(*ranges):
            places += self._places.get(start, ())
        found = (self.regions[place] for place in sorted(places))
        return [region for region in found if region.within(offset, shape)]

    def around(self, offset: Extents, shape: Extents) -> Region[T] | None:
        """A region that a rectangle lies in, if regions form a grid."""
        start = tuple(
            starts[bisect_right(starts, low) - 1] if starts and starts[0] <= low else -1
            for starts, low in zip(self._starts, offset, strict=True)
        )
        inner = Region(offset, shape, None)
        found = (self.regions[place] for place in self._places.get(start, ()))
        return next((region for region in found if inner.within(region.offset, region.shape)), None)

    def boundaries(self, axis: int, extent: int) -> set[int]:
        """Where regions start or end along `axis`, the end of the tensor excepted."""
        ends = {region.offset[axis] + region.shape[axis] for region in self.regions}
        return {bound for bound in ends.union(self._starts[axis] if self._starts else ()) if bound < extent}
