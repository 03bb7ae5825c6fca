"""Which cells of a memory an access touches, one index per element.

A cell is a byte on chip and an element in global memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType
from ptoscope_compiler.hardware import CoreKind, MemorySpace

from ..instructions import layouts
from .core import Core
from .memory import VECTOR_CORES_OF_BLOCK
from .operands import TileOperand, WindowOperand, unflatten

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """Elements of the memory `key`, which has `size` cells: the index of each one's first cell, in logical order."""

    key: Key
    size: int
    indices: NDArray[np.int64]
    width: int
    dtype: DType

    @property
    def is_on_chip(self) -> bool:
        return isinstance(self.key[1], MemorySpace)

    def element(self, place: tuple[int, ...]) -> Cells:
        """One element; IndexError where it lies outside."""
        found = self.indices[unflatten(place, self.indices.shape)]
        return replace(self, indices=np.asarray(found))

    def every_cell(self) -> NDArray[np.int64]:
        """All cells of all elements, flat."""
        flat = self.indices.reshape(-1)
        if self.width == 1:
            return flat
        return (flat[:, None] + np.arange(self.width)).reshape(-1)


def cells_of(operand: Any, core: Core, shape: tuple[int, ...], corner: tuple[int, ...] = ()) -> Cells | None:
    """The first `shape` elements from `corner` on.

    None for what has no cells: registers, four-bit elements, and windows whose elements are not those of the buffer.
    """
    if isinstance(operand, TileOperand) and operand.type.dtype.bits >= 8:
        starts = (0,) * (len(shape) - 2) + (corner or (0,) * min(len(shape), 2))
        reach = tuple(start + size for start, size in zip(starts, shape, strict=True))
        places = layouts.offsets(operand.type, reach, operand.extent(core), operand.strides)
        places = places[tuple(map(slice, starts, reach))]
        width = operand.type.dtype.bytes
        key, first, size = _memory(core, operand.space)
        return Cells(key, size, first + operand.start(core) + places * width, width, operand.type.dtype)
    if isinstance(operand, WindowOperand):
        buffer = core.buffers[operand.buffer]
        if buffer.dtype.bytes != operand.dtype.itemsize:
            return None
        footprint = operand.footprint(core)
        places = footprint.start + strided_places(shape, footprint.strides)
        return Cells(("GM", buffer.name), buffer.bytes.size // buffer.dtype.bytes, places, 1, operand.operand.dtype)
    return None


def _memory(core: Core, space: MemorySpace) -> tuple[Key, int, int]:
    """Key and size of the memory that a core means by `space`, and where its part begins: the cores of a block share
    L1, and the cube core sees the UBs of the vector cores one behind the other."""
    size = core.memory[space].size
    if space is MemorySpace.L1:
        return (core.block, space), 0, size
    if space is MemorySpace.UB:
        if core.kind is CoreKind.AIC:
            return (core.block, space), 0, size
        return (core.block, space), core.sub * size, VECTOR_CORES_OF_BLOCK * size
    return (core.key, space), 0, size


@lru_cache(maxsize=1024)
def strided_places(shape: tuple[int, ...], strides: tuple[int, ...]) -> NDArray[np.int64]:
    """The offset of each element of a strided window."""
    total = np.zeros(shape, np.int64)
    for axis, (size, step) in enumerate(zip(shape, strides, strict=True)):
        total += (np.arange(size) * step).reshape((size,) + (1,) * (len(shape) - axis - 1))
    return total
