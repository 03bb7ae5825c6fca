"""A float64 value beside every element in memory, and which execution wrote it.

A cell is a byte on chip and an element in global memory. The cell of an element's first byte holds its value, under a
tag that names the element type; where the tag is another one, the real bytes are the truth (inputs, integers, and
bytes read under another type than they were written).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import BY_NAME, DType

from ..instructions import layouts
from ..machine.core import Core
from ..machine.operands import RegisterOperand, TileOperand, WindowOperand

Array = NDArray[Any]
Key = tuple[Any, ...]
_TAGS = {name: number for number, name in enumerate(BY_NAME, 1)}


@dataclass(slots=True)
class Plane:
    """The shadow of one memory."""

    values: NDArray[np.float64]
    tags: NDArray[np.uint8]
    writers: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Cells:
    """Where the elements of an access lie: indices into the plane `key`, in logical order."""

    key: Key
    indices: NDArray[np.int64]
    width: int
    dtype: DType


class Shadow:
    """The planes of every memory that a run touches."""

    def __init__(self) -> None:
        self.planes: dict[Key, Plane] = {}
        self.registers: dict[Key, Array] = {}

    def plane(self, key: Key, size: int) -> Plane:
        """The plane of a memory of `size` cells, empty when first asked for."""
        found = self.planes.get(key)
        if found is None:
            found = self.planes[key] = Plane(np.zeros(size), np.zeros(size, np.uint8), np.zeros(size, np.int32))
        return found

    def cells(self, operand: Any, core: Core, shape: tuple[int, ...], corner: tuple[int, ...] = ()) -> Cells | None:
        """The first `shape` elements from `corner` on; None where the operand has no cells (registers, four-bit)."""
        if isinstance(operand, TileOperand) and operand.type.dtype.bits >= 8:
            key: Key = (core.key, operand.space)
            self.plane(key, core.memory[operand.space].size)
            starts = (0,) * (len(shape) - 2) + (corner or (0,) * min(len(shape), 2))
            reach = tuple(start + size for start, size in zip(starts, shape, strict=True))
            places = layouts.offsets(operand.type, reach, operand.extent(core), operand.strides)
            places = places[tuple(map(slice, starts, reach))]
            width = operand.type.dtype.bytes
            return Cells(key, operand.start(core) + places * width, width, operand.type.dtype)
        if isinstance(operand, WindowOperand):
            buffer = core.buffers[operand.buffer]
            if buffer.dtype.bytes != operand.dtype.itemsize:
                return None
            key = ("GM", buffer.name)
            self.plane(key, buffer.bytes.size // buffer.dtype.bytes)
            footprint = operand.footprint(core)
            return Cells(key, footprint.start + _places(shape, footprint.strides), 1, operand.operand.dtype)
        return None

    def read(self, operand: Any, core: Core, real: Any, cells: Cells | None) -> Any:
        """The exact value of what was read as `real`; `real` itself, widened, where the shadow has nothing else."""
        if not isinstance(real, np.ndarray):
            return real
        dtype = _dtype(operand)
        if dtype is None or not dtype.is_float or dtype.numpy == "uint8":
            return real
        wide = real.astype(np.float64)
        if cells is not None:
            plane = self.planes[cells.key]
            known = plane.tags[cells.indices] == _TAGS[dtype.name]
            return np.where(known, plane.values[cells.indices], wide)
        if isinstance(operand, RegisterOperand):
            kept = self.registers.get((core.key, operand.operand.name))
            return kept if kept is not None and kept.shape == wide.shape else wide
        return wide

    def write(self, operand: Any, core: Core, exact: Array, cells: Cells | None, writer: int) -> None:
        """Note that execution `writer` wrote `exact`."""
        if cells is None:
            if isinstance(operand, RegisterOperand):
                self.registers[core.key, operand.operand.name] = exact
            return
        plane = self.planes[cells.key]
        for byte in range(cells.width):
            plane.tags[cells.indices + byte] = 0
            plane.writers[cells.indices + byte] = writer
        if cells.dtype.is_float:
            plane.values[cells.indices] = exact
            plane.tags[cells.indices] = _TAGS[cells.dtype.name]

    def writers(self, cells: Cells) -> NDArray[np.int32]:
        """Who wrote each element last; 0 where nobody did."""
        found: NDArray[np.int32] = self.planes[cells.key].writers[cells.indices]
        return found

    def contents(self, buffer: str, real: Array) -> Array:
        """The exact contents of a buffer in global memory."""
        plane = self.planes.get(("GM", buffer))
        wide = real.astype(np.float64)
        if plane is None:
            return wide
        known = plane.tags.reshape(real.shape) != 0
        return np.where(known, plane.values.reshape(real.shape), wide)


@lru_cache(maxsize=1024)
def _places(shape: tuple[int, ...], strides: tuple[int, ...]) -> NDArray[np.int64]:
    total = np.zeros(shape, np.int64)
    for axis, (size, step) in enumerate(zip(shape, strides, strict=True)):
        total += (np.arange(size) * step).reshape((size,) + (1,) * (len(shape) - axis - 1))
    return total


def _dtype(operand: Any) -> DType | None:
    if isinstance(operand, TileOperand):
        return operand.type.dtype
    if isinstance(operand, (WindowOperand, RegisterOperand)):
        found: DType = operand.operand.dtype
        return found
    return None
