"""Operands of PTO instructions: tiles on chip, windows of global memory, vector registers, scalars.

Tiles follow PTO-ISA (`docs/isa`, `include/pto/common/pto_tile.hpp`), with one extension: a tile may have more than two
axes, as Tensor mode's tile tensors do; the leading axes repeat the two-dimensional instruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..dtype import BOOL, DType
from ..hardware import Layout, MemorySpace
from ..scalar import ScalarLike


@dataclass(frozen=True, slots=True)
class TileType:
    """Static part of a tile: `shape` is physical, in elements; `fractal` the bytes of an inner box (512, 1024 or 32).

    `pad` is one of "null", "zero", "max", "min". `compact` is 0 (null), 1 (normal) or 2 (row plus one).
    """

    dtype: DType
    shape: tuple[int, ...]
    space: MemorySpace
    layout: Layout = Layout.ND
    fractal: int = 512
    pad: str = "null"
    compact: int = 0

    @property
    def elements(self) -> int:
        total = 1
        for extent in self.shape:
            total *= extent
        return total

    @property
    def bytes(self) -> int:
        """Size of the tile in its buffer."""
        return (self.elements * self.dtype.bits + 7) // 8


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile at a byte `address` of its core's buffer; `valid` is the extent that holds data, per axis.

    `strides` (elements per axis) is set for a sub-tile that keeps its parent's pitch, else None: dense.
    """

    type: TileType
    address: ScalarLike
    valid: tuple[ScalarLike, ...]
    name: str = ""
    strides: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A window of a buffer in global memory: `offset` in elements from its start, `shape` and `strides` in elements.

    `buffer` names a parameter or workspace of the core program. NZ windows have the five axes of PTO-ISA's NZ
    GlobalTensor: (1, columns / C0, rows / 16, 16, C0).
    """

    buffer: str
    dtype: DType
    shape: tuple[ScalarLike, ...]
    strides: tuple[ScalarLike, ...]
    offset: ScalarLike
    layout: Layout = Layout.ND


REGISTER_BYTES = 256


@dataclass(frozen=True, slots=True)
class Register:
    """A vector register of 256 bytes, of elements `dtype`. Registers are local to a core program and hold until
    written again; a load or store names the part of UB that it touches as a `Tile` of rank 1."""

    name: str
    dtype: DType

    @property
    def lanes(self) -> int:
        return REGISTER_BYTES * 8 // self.dtype.bits


@dataclass(frozen=True, slots=True)
class Mask:
    """A predicate register that governs lanes of `bits` bits."""

    name: str
    bits: int

    @property
    def lanes(self) -> int:
        return REGISTER_BYTES * 8 // self.bits

    @property
    def dtype(self) -> DType:
        return BOOL


Operand: TypeAlias = Tile | Window | Register | Mask | ScalarLike
