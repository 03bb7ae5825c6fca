"""A float64 value beside every element in memory, and which execution wrote it.

A cell is a byte on chip and an element in global memory. The cell of an element's first byte holds its value, under a
tag that names the element type; where the tag is another one, the real bytes are the truth (inputs, integers, and
bytes read under another type than they were written).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import BY_NAME, DType

from ..machine.cells import Cells, Key, cells_of
from ..machine.core import Core
from ..machine.operands import RegisterOperand, TileOperand, WindowOperand

Array = NDArray[Any]
_TAGS = {name: number for number, name in enumerate(BY_NAME, 1)}


@dataclass(slots=True)
class Plane:
    """The shadow of one memory."""

    values: NDArray[np.float64]
    tags: NDArray[np.uint8]
    writers: NDArray[np.int32]


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
        """Where the first `shape` elements from `corner` on lie; None where the operand has no cells."""
        cells = cells_of(operand, core, shape, corner)
        if cells is not None:
            self.plane(cells.key, cells.size)
        return cells

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


def _dtype(operand: Any) -> DType | None:
    if isinstance(operand, TileOperand):
        return operand.type.dtype
    if isinstance(operand, (WindowOperand, RegisterOperand)):
        found: DType = operand.operand.dtype
        return found
    return None
