"""Memories of real bytes: the buffers of each core, and the caller's arrays in global memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType
from ptoscope_compiler.hardware import CoreKind, MemorySpace

from ..numerics import numpy_dtype

Bytes = NDArray[np.uint8]
VECTOR_CORES_OF_BLOCK = 2


class Chip(Protocol):
    """The part of a target that the machine depends on."""

    @property
    def name(self) -> str: ...

    @property
    def arch(self) -> str: ...

    @property
    def cube_cores(self) -> int: ...

    @property
    def vector_cores(self) -> int: ...

    def capacity(self, space: MemorySpace) -> int: ...

    def alignment(self, space: MemorySpace) -> int: ...


class CoreMemory(dict[MemorySpace, Bytes]):
    """The buffers of one core by space, each found or made by `make` when first touched.

    Whoever writes says so beforehand, so that `zero` need not go over whole buffers: by `reach` what may be written at
    any time, by `touch` what is written once.
    """

    def __init__(self, make: Callable[[MemorySpace], Bytes]) -> None:
        super().__init__()
        self._make = make
        self._reached: dict[MemorySpace, int] = {}
        self._touched: set[MemorySpace] = set()

    def reach(self, space: MemorySpace, stop: int) -> None:
        """Bytes before `stop` may be written from now on, in every run."""
        self._reached[space] = max(self._reached.get(space, 0), stop)

    def touch(self, space: MemorySpace) -> None:
        """Some bytes are about to be written."""
        self._touched.add(space)

    def zero(self) -> None:
        """Zero every byte that may have been written."""
        for space in self._touched:
            self[space].fill(0)
        for space, stop in self._reached.items():
            self[space][:stop] = 0
        self._touched.clear()

    def __missing__(self, space: MemorySpace) -> Bytes:
        made = self[space] = self._make(space)
        return made


class BlockMemory:
    """The buffers of a cube core and its vector cores, zeroed.

    A vector core reaches the L1 of its cube core; the cube core sees the UBs of its vector cores one behind the other.
    """

    def __init__(self, capacity: Callable[[MemorySpace], int]) -> None:
        self._capacity = capacity
        self._shared: dict[MemorySpace, Bytes] = {}

    def core(self, kind: CoreKind, sub: int) -> CoreMemory:
        """The buffers of one core."""
        return CoreMemory(lambda space: self._buffer(kind, sub, space))

    def _buffer(self, kind: CoreKind, sub: int, space: MemorySpace) -> Bytes:
        size = self._capacity(space)
        if space not in (MemorySpace.L1, MemorySpace.UB):
            return np.zeros(size, np.uint8)
        whole = self._shared.get(space)
        if whole is None:
            count = 1 if space is MemorySpace.L1 else VECTOR_CORES_OF_BLOCK
            whole = self._shared[space] = np.zeros(count * size, np.uint8)
        if space is MemorySpace.L1 or kind is CoreKind.AIC:
            return whole
        return whole[sub * size : (sub + 1) * size]


class GlobalBuffer:
    """A buffer in global memory over an array. `bytes` is the array's own memory, flat.

    An array that is not contiguous is worked on in a copy, and written back by `finish`.
    """

    __slots__ = ("_copy", "array", "bytes", "dtype", "name", "shape")

    def __init__(self, name: str, dtype: DType, array: NDArray[Any]) -> None:
        self.name = name
        self.dtype = dtype
        self.shape: tuple[int, ...] = array.shape
        self.array = array
        self._copy = array if array.flags.c_contiguous else np.ascontiguousarray(array)
        self.bytes: Bytes = self._copy.reshape(-1).view(np.uint8)

    @property
    def elements(self) -> NDArray[Any]:
        """The buffer as its element type, in its shape."""
        found: NDArray[Any] = self.bytes.view(numpy_dtype(self.dtype)).reshape(self.shape)
        return found

    def read(self, indices: Sequence[int]) -> Any:
        """One element as a Python number; IndexError where it lies outside."""
        return python_number(self.elements[_inside(indices, self.shape)])

    def write(self, indices: Sequence[int], value: Any) -> None:
        self.elements[_inside(indices, self.shape)] = value

    def finish(self) -> None:
        """Bring the results into the caller's array."""
        if self._copy is not self.array:
            self.array[...] = self._copy


def _inside(indices: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    place = tuple(indices)
    if len(place) != len(shape) or any(not 0 <= index < extent for index, extent in zip(place, shape, strict=True)):
        raise IndexError(f"index {list(place)} is outside shape {list(shape)}")
    return place


def python_number(value: Any) -> Any:
    """A numpy scalar of any element type as a Python number."""
    item = value.item() if hasattr(value, "item") else value
    return item if isinstance(item, (bool, int, float)) else float(item)


Buffers = Mapping[str, GlobalBuffer]
