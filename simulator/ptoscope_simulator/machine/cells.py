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
from ptoscope_compiler.pto.operands import TileType

from ..instructions import layouts
from .core import Core
from .memory import VECTOR_CORES_OF_BLOCK
from .operands import TileOperand, WindowOperand, unflatten

Key = tuple[Any, ...]
Extent = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """Elements of the memory `key`, which has `size` cells: the index of each one's first cell, in logical order.

    `owner` is the core whose buffer it is, None for global memory. `is_dense`: the cells follow one another.
    """

    key: Key
    size: int
    indices: NDArray[np.int64]
    width: int
    dtype: DType
    owner: Key | None = None
    is_dense: bool = False

    @property
    def is_on_chip(self) -> bool:
        return self.owner is not None

    def element(self, place: tuple[int, ...]) -> Cells:
        """One element; IndexError where it lies outside."""
        found = self.indices[unflatten(place, self.indices.shape)]
        return replace(self, indices=np.asarray(found), is_dense=True)

    @property
    def place(self) -> slice | NDArray[np.int64]:
        """Index of all cells of all elements."""
        flat = self.indices.reshape(-1)
        if self.is_dense and flat.size:
            return slice(int(flat[0]), int(flat[-1]) + self.width)
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
        places, is_dense = _tile_places(operand.type, starts, reach, operand.extent(core), operand.strides)
        start, dtype = operand.start(core), operand.type.dtype
        key, first, size, owner = _memory(core, operand.space, start)
        return Cells(key, size, places + (first + start), dtype.bytes, dtype, owner, is_dense)
    if isinstance(operand, WindowOperand):
        buffer = core.buffers[operand.buffer]
        if buffer.dtype.bytes != operand.dtype.itemsize:
            return None
        footprint = operand.footprint(core)
        places = footprint.start + strided_places(shape, footprint.strides)
        return Cells(("GM", buffer.name), buffer.bytes.size // buffer.dtype.bytes, places, 1, operand.operand.dtype)
    return None


def _memory(core: Core, space: MemorySpace, start: int) -> tuple[Key, int, int, Key]:
    """Key of the memory that a core means by `space`, where its part begins, its size, and who owns byte `start`.

    The cores of a block share L1, and the cube core sees the UBs of the vector cores one behind the other.
    """
    size = core.memory[space].size
    if space is MemorySpace.L1:
        return (core.block, space), 0, size, (CoreKind.AIC, core.block, 0)
    if space is MemorySpace.UB:
        key = (core.block, space)
        if core.kind is CoreKind.AIC:
            sub = start // max(size // VECTOR_CORES_OF_BLOCK, 1)
            return key, 0, size, (CoreKind.AIV, core.block, sub)
        return key, core.sub * size, VECTOR_CORES_OF_BLOCK * size, core.key
    return (core.key, space), 0, size, core.key


@lru_cache(maxsize=4096)
def _tile_places(
    type: TileType, starts: Extent, reach: Extent, valid: Extent, strides: Extent | None
) -> tuple[NDArray[np.int64], bool]:
    """First byte of each element from `starts` to `reach`, from the tile's start; whether they follow one another."""
    places = layouts.offsets(type, reach, valid, strides)[tuple(map(slice, starts, reach))] * type.dtype.bytes
    flat = places.reshape(-1)
    return places, bool((np.diff(flat) == type.dtype.bytes).all())


@lru_cache(maxsize=1024)
def strided_places(shape: tuple[int, ...], strides: tuple[int, ...]) -> NDArray[np.int64]:
    """The offset of each element of a strided window."""
    total = np.zeros(shape, np.int64)
    for axis, (size, step) in enumerate(zip(shape, strides, strict=True)):
        total += (np.arange(size) * step).reshape((size,) + (1,) * (len(shape) - axis - 1))
    return total
