"""Operands of instructions as arrays: the one way by which semantics reach memory, on both paths of the machine.

An operand is prepared once per core program. `extent` gives its valid region under the core's variables, `read` an
array of it in logical order, `write` stores a result from its first element on. `footprint` names the bytes that an
access touches, for the shadow state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.hardware import Layout, MemorySpace
from ptoscope_compiler.pto.operands import Mask, Operand, Register, Tile, Window
from ptoscope_compiler.scalar import Scalar, Symbol, known

from ..instructions import layouts
from ..numerics import numpy_dtype
from .core import Core
from .memory import python_number
from .scalars import evaluator, evaluator_of_all

Extent = tuple[int, ...]
Array = NDArray[Any]
_PLAIN = (Layout.ND, Layout.DN)


@dataclass(frozen=True, slots=True)
class Footprint:
    """Cells of a memory that an access touches: a strided view with `start`, `shape` and `strides` in cells.

    A cell is a byte on chip (`memory` a space) and an element in global memory (`memory` a buffer's name). `width` is
    the number of cells of one element.
    """

    memory: MemorySpace | str
    start: int
    shape: Extent
    strides: Extent
    width: int

    @property
    def stop(self) -> int:
        """One past the last cell."""
        if 0 in self.shape:
            return self.start
        return (
            self.start
            + sum((size - 1) * step for size, step in zip(self.shape, self.strides, strict=True))
            + self.width
        )

    @property
    def elements(self) -> int:
        total = 1
        for size in self.shape:
            total *= size
        return total


class PreparedOperand(Protocol):
    """An operand ready to be accessed. `valid` is set where its extent does not depend on run time."""

    operand: Any
    valid: Extent | None

    def extent(self, core: Core) -> Extent: ...

    def fixed(self, core: Core) -> Any:
        """What `read` gives on `core` every time, a view of memory or a number; None where that depends on run time."""

    def read(self, core: Core) -> Any: ...

    def write(self, core: Core, value: Any) -> None: ...


class Placed:
    """A region of a tile at a byte that does not depend on run time: one view of it per core."""

    __slots__ = ("_address", "_space", "region")

    def __init__(self, space: MemorySpace, address: int, region: layouts.Region) -> None:
        self._space = space
        self._address = address
        self.region = region

    def raw(self, core: Core) -> Array:
        """The view of its bytes; ValueError or TypeError where they leave the memory."""
        view: Array | None = core.views.get(self)
        if view is None:
            view = core.views[self] = self.region.raw(core.memory[self._space], self._address)
            core.memory.reach(self._space, self._address + self.region.span)
        return view

    def read(self, core: Core) -> Array:
        return self.region.logical(self.raw(core))

    def write(self, core: Core, value: Array) -> None:
        self.region.store(self.raw(core), value)


class TileOperand:
    """A tile on chip. `whole` reads its physical shape instead of the valid region."""

    def __init__(self, tile: Tile, whole: bool = False) -> None:
        self.operand = tile
        self.type = tile.type
        self.space = tile.type.space
        self.strides = tile.strides
        self.whole = whole
        self.valid: Extent | None = tuple(map(int, tile.valid)) if all(map(known, tile.valid)) else None  # type: ignore[arg-type]
        self.address: int | None = int(tile.address) if not isinstance(tile.address, Scalar) else None
        self._extent = evaluator_of_all(tile.valid)
        self._address = evaluator(tile.address)
        self._is_view = self.type.layout in _PLAIN and self.type.dtype.bits >= 8
        self._is_fixed = self.valid is not None and self.address is not None and self.type.dtype.bits >= 8
        self._parts: dict[tuple[Extent, Extent], Placed | None] = {}
        taken = self.type.shape if whole else self.valid
        self.placed = self.part((0, 0), taken) if self._is_fixed and taken is not None else None

    @property
    def is_fixed_view(self) -> bool:
        """Whether `read` gives one and the same view of memory every time."""
        return self._is_fixed and self._is_view

    def part(self, corner: Extent, taken: Extent) -> Placed | None:
        """The part of `taken` elements from `corner` on, where the tile is fixed and the corner begins a box."""
        if not self._is_fixed:
            return None
        key = (corner, taken)
        if key not in self._parts:
            assert self.valid is not None and self.address is not None
            shift = self._shift(corner, self.valid) if any(corner) else 0
            self._parts[key] = (
                shift
                if shift is None
                else Placed(
                    self.space, self.address + shift, layouts.region(self.type, taken, self.valid, self.strides)
                )
            )
        return self._parts[key]

    def fixed(self, core: Core) -> Array | None:
        return self.placed.raw(core) if self.placed is not None and self._is_view else None

    def extent(self, core: Core) -> Extent:
        if self.valid is not None:
            return self.valid
        return tuple(map(int, self._extent(core.variables)))

    def start(self, core: Core) -> int:
        """Byte at which the tile begins in its buffer."""
        return int(self._address(core.variables)) if self.address is None else self.address

    def read(self, core: Core) -> Array:
        return self._load(core) if self.placed is None else self.placed.read(core)

    def _load(self, core: Core) -> Array:
        valid = self.extent(core)
        taken = self.type.shape if self.whole else valid
        return layouts.read(core.memory[self.space], self.start(core), self.type, taken, valid, self.strides)

    def write(self, core: Core, value: Array) -> None:
        if self.placed is not None and not self.whole and value.shape == self.valid:
            self.placed.write(core, value)
            return
        core.memory.touch(self.space)
        memory, start = core.memory[self.space], self.start(core)
        layouts.write(memory, start, self.type, value, self.extent(core), self.strides)

    def read_window(self, core: Core, corner: Extent, taken: Extent) -> Array:
        """The part of `taken` rows and columns from `corner` on."""
        part = self.part(corner, taken)
        return self.read_from(core.memory[self.space], core, corner, taken) if part is None else part.read(core)

    def read_from(self, memory: Any, core: Core, corner: Extent, taken: Extent) -> Array:
        valid = self.extent(core)
        shift = self._shift(corner, valid)
        if shift is not None:
            return layouts.read(memory, self.start(core) + shift, self.type, taken, valid, self.strides)
        reach = (*taken[:-2], corner[0] + taken[-2], corner[1] + taken[-1])
        whole = layouts.read(memory, self.start(core), self.type, reach, valid, self.strides)
        return whole[..., corner[0] :, corner[1] :]

    def write_window(self, core: Core, corner: Extent, value: Array) -> None:
        """Store `value` from `corner` on."""
        part = self.part(corner, value.shape)
        if part is not None:
            part.write(core, value)
            return
        core.memory.touch(self.space)
        memory, start, valid = core.memory[self.space], self.start(core), self.extent(core)
        shift = self._shift(corner, valid)
        if shift is not None:
            layouts.write(memory, start + shift, self.type, value, valid, self.strides)
            return
        reach = (*value.shape[:-2], corner[0] + value.shape[-2], corner[1] + value.shape[-1])
        whole = layouts.read(memory, start, self.type, reach, valid, self.strides).copy()
        whole[..., corner[0] :, corner[1] :] = value
        layouts.write(memory, start, self.type, whole, valid, self.strides)

    def _shift(self, corner: Extent, valid: Extent) -> int | None:
        """Bytes from the tile's start to the element at `corner`; None where that is not the start of a box."""
        if self.type.layout not in _PLAIN:
            rows, columns = layouts.box(self.type)
            if (self.type.layout is not Layout.NZ and corner[0] % rows) or corner[1] % columns:
                return None
        laid = layouts.plan(self.type, self.type.shape, valid, self.strides)
        place = (*(0 for _ in self.type.shape[:-2]), *_split(corner, laid.shape[len(self.type.shape) - 2 :], self.type))
        bits = sum(index * step for index, step in zip(place, laid.strides, strict=True)) * self.type.dtype.bits
        return None if bits % 8 else bits // 8

    def footprint(self, core: Core, extent: Extent | None = None) -> Footprint:
        """Bytes of the valid region, or of the first `extent` elements."""
        valid = self.extent(core)
        taken = extent or (self.type.shape if self.whole else valid)
        laid = layouts.plan(self.type, taken, valid, self.strides)
        width = self.type.dtype.bytes
        return Footprint(self.space, self.start(core), laid.shape, tuple(step * width for step in laid.strides), width)

    def element_extent(self, core: Core) -> Extent:
        """The extent within which single elements are read and written."""
        return self.type.shape

    def element(self, core: Core, indices: Extent) -> Any:
        """One element as a Python number."""
        return python_number(self._physical(core)[unflatten(indices, self.type.shape)])

    def set_element(self, core: Core, indices: Extent, value: Any) -> None:
        core.memory.touch(self.space)
        whole = self._physical(core)
        whole[unflatten(indices, self.type.shape)] = value
        if not self._is_view:
            memory, start = core.memory[self.space], self.start(core)
            layouts.write(memory, start, self.type, whole, self.extent(core), self.strides)

    def _physical(self, core: Core) -> Array:
        memory, start = core.memory[self.space], self.start(core)
        return layouts.read(memory, start, self.type, self.type.shape, self.extent(core), self.strides)


def _split(corner: Extent, axes: Extent, type: Any) -> Extent:
    """`corner` as indices of the last axes of a plan."""
    if len(axes) == 2:
        return corner
    rows, columns = layouts.box(type)
    if type.layout is Layout.NZ:
        return (corner[0], corner[1] // columns, 0)
    if type.layout is Layout.ZN:
        return (corner[0] // rows, 0, corner[1])
    return (corner[0] // rows, 0, corner[1] // columns, 0)


def unflatten(indices: Extent, shape: Extent) -> Extent:
    """Indices per axis: a single one counts elements in logical order. IndexError where they lie outside."""
    if len(indices) == 1 < len(shape):
        return tuple(int(index) for index in np.unravel_index(indices[0], shape))
    if any(not 0 <= index < size for index, size in zip(indices, shape, strict=True)):
        raise IndexError(f"index {list(indices)} is outside the tile's shape {list(shape)}")
    return indices


class WindowOperand:
    """A window of global memory."""

    def __init__(self, window: Window) -> None:
        self.operand = window
        self.buffer = window.buffer
        self.dtype = numpy_dtype(window.dtype)
        self.is_static = all(map(known, (*window.shape, *window.strides)))
        self._layout = evaluator_of_all((*window.shape, *window.strides))
        self._offset = evaluator(window.offset)
        self._rank = len(window.shape)
        self.valid: Extent | None = None
        self.steps: Extent = ()
        if self.is_static:
            self.valid, self.steps = self._resolve({})

    def _resolve(self, variables: Any) -> tuple[Extent, Extent]:
        numbers = tuple(map(int, self._layout(variables)))
        size = self.dtype.itemsize
        return numbers[: self._rank], tuple(step * size for step in numbers[self._rank :])

    def fixed(self, core: Core) -> None:
        """A window depends on the buffer that a call binds."""

    def extent(self, core: Core) -> Extent:
        return self._resolve(core.variables)[0] if self.valid is None else self.valid

    def start(self, core: Core) -> int:
        """First element of the window in its buffer."""
        return int(self._offset(core.variables))

    def read(self, core: Core) -> Array:
        """The window itself, not a copy."""
        shape, steps = (self.valid, self.steps) if self.valid is not None else self._resolve(core.variables)
        offset = self._offset(core.variables) * self.dtype.itemsize
        view: Array = np.ndarray(shape, self.dtype, core.buffers[self.buffer].bytes, offset, steps)
        return view

    def write(self, core: Core, value: Array) -> None:
        view = self.read(core)
        if value.shape != view.shape:
            view = view[tuple(slice(size) for size in value.shape)]
        view[...] = value

    def footprint(self, core: Core, extent: Extent | None = None) -> Footprint:
        """Elements of the window, or of its first `extent` elements per axis."""
        shape, steps = (self.valid, self.steps) if self.valid is not None else self._resolve(core.variables)
        size = self.dtype.itemsize
        return Footprint(self.buffer, self.start(core), extent or shape, tuple(step // size for step in steps), 1)

    def element_extent(self, core: Core) -> Extent:
        """The extent within which single elements are read and written."""
        return self.extent(core)

    def element(self, core: Core, indices: Extent) -> Any:
        return python_number(self.read(core)[unflatten(indices, self.extent(core))])

    def set_element(self, core: Core, indices: Extent, value: Any) -> None:
        self.read(core)[unflatten(indices, self.extent(core))] = value


class RegisterOperand:
    """A vector register, or a predicate, by name."""

    def __init__(self, register: Register | Mask) -> None:
        self.operand = register
        self.valid: Extent | None = (register.lanes,)
        self.dtype = numpy_dtype(register.dtype)

    def fixed(self, core: Core) -> None:
        """A register is another array after each write."""

    def extent(self, core: Core) -> Extent:
        return (self.operand.lanes,)

    def read(self, core: Core) -> Array:
        found = core.registers.get(self.operand.name)
        if found is None:
            return np.zeros(self.operand.lanes, self.dtype)
        return found if found.dtype == self.dtype else found.view(self.dtype)

    def write(self, core: Core, value: Array) -> None:
        if value.shape == (self.operand.lanes,):
            core.registers[self.operand.name] = value
            return
        merged = self.read(core).copy()
        merged[: value.shape[0]] = value
        core.registers[self.operand.name] = merged


class ScalarOperand:
    """A number; as an output, the variable that gets it."""

    def __init__(self, scalar: Any) -> None:
        self.operand = scalar
        self.valid: Extent | None = ()
        self.is_constant = not isinstance(scalar, Scalar)
        self._value = evaluator(scalar)

    def fixed(self, core: Core) -> Any:
        return self.operand if self.is_constant else None

    def extent(self, core: Core) -> Extent:
        return ()

    def read(self, core: Core) -> Any:
        return self._value(core.variables)

    def write(self, core: Core, value: Any) -> None:
        core.variables[self.operand.name] = python_number(value)


MemoryOperand = TileOperand | WindowOperand


def prepare(operand: Operand, whole: bool = False, output: bool = False) -> PreparedOperand:
    """`operand` ready for access; TypeError for an output that cannot hold a result."""
    if isinstance(operand, Tile):
        return TileOperand(operand, whole)
    if isinstance(operand, Window):
        return WindowOperand(operand)
    if isinstance(operand, (Register, Mask)):
        return RegisterOperand(operand)
    if output and not isinstance(operand, Symbol):
        raise TypeError(f"{operand} cannot hold a result")
    return ScalarOperand(operand)
