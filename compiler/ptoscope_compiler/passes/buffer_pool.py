"""Addresses in one memory of a core.

The smallest gap that is large enough is taken; the buffers of the cube alternate between both ends, so that one tile
can be filled while the other is used. Source:
`framework/src/passes/block_graph_pass/schedule_ooo/common/buffer_pool.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..hardware import MemorySpace

_BOTH_ENDS = frozenset({MemorySpace.L0A, MemorySpace.L0B, MemorySpace.L0C})


class BufferPool:
    """Allocated ranges of `space`, of `size` bytes; starts are multiples of `alignment`."""

    def __init__(self, space: MemorySpace, size: int, alignment: int) -> None:
        self.space = space
        self.size = size
        self.peak = 0
        self._alignment = alignment
        self._ranges: dict[int, tuple[int, int]] = {}

    def footprint(self, size: int) -> int:
        """Bytes that an allocation of `size` takes."""
        return -(-size // self._alignment) * self._alignment

    def allocate(self, key: int, size: int) -> int | None:
        """The start of a range for `key`, or None where no gap is large enough."""
        size = self.footprint(size)
        gaps = [(start, end) for start, end in self._gaps() if end - start >= size]
        if not gaps:
            return None
        start = min(gaps, key=lambda gap: (gap[1] - gap[0], gap[0]))[0]
        if self.space in _BOTH_ENDS:
            if any(gap[0] == 0 for gap in gaps):
                start = 0
            elif any(gap[1] == self.size for gap in gaps):
                start = self.size - size
        self._ranges[key] = (start, start + size)
        self.peak = max(self.peak, sum(end - begin for begin, end in self._ranges.values()))
        return start

    def free(self, key: int) -> None:
        """Give the range of `key` back."""
        del self._ranges[key]

    def holds(self, key: int) -> bool:
        return key in self._ranges

    def _gaps(self) -> list[tuple[int, int]]:
        gaps = []
        end_of_last = 0
        for start, end in sorted(self._ranges.values()):
            if start > end_of_last:
                gaps.append((end_of_last, start))
            end_of_last = max(end_of_last, end)
        if end_of_last < self.size:
            gaps.append((end_of_last, self.size))
        return gaps
