"""Where the elements of a tile lie: physical order in a buffer to logical rows and columns, and back.

Offsets are those of PTO-ISA (`include/pto/common/pto_tile.hpp`, `include/pto/cpu/tile_offsets.hpp`). A boxed layout
orders inner boxes of a few rows and columns within a band, and bands one after the other:

- NZ: a band is a column of boxes, a box is row-major. ZN: a band is a row of boxes, a box is column-major.
- ZZ: a band is a row of boxes, a box is row-major. NN: a band is a column of boxes, a box is column-major.

Every layout is a strided view of the buffer. A sub-tile of a boxed tile is a tile that starts at the byte of its first
box and keeps the parent's extent along a band in its `shape`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.hardware import Layout
from ptoscope_compiler.pto.operands import TileType

from ..numerics import numpy_dtype
from .registry import Array

Extent = tuple[int, ...]
Buffer = NDArray[np.uint8]

_PLAIN = (Layout.ND, Layout.DN)
_ROW_MAJOR_BOX = (Layout.NZ, Layout.ZZ)
_COLUMN_BANDS = (Layout.NZ, Layout.NN)
_SHORT_SIDE_BYTES = {512: 32, 1024: 64, 32: 2}


class Plan(NamedTuple):
    """A strided view of a tile. `strides` are in elements; the axes of the view are those of the logical order, except
    that a boxed one is split into (box, place within the box). `padded` is the logical extent that the view covers.
    """

    shape: Extent
    strides: Extent
    padded: Extent


def box(type: TileType) -> tuple[int, int]:
    """Rows and columns of the inner box of a boxed layout."""
    if type.fractal == 1024:
        return 16, 16
    short = _SHORT_SIDE_BYTES[type.fractal] * 8 // type.dtype.bits
    return (16, short) if type.layout in _ROW_MAJOR_BOX else (short, 16)


def dense_strides(shape: Extent, layout: Layout) -> Extent:
    """Elements between neighbours along each axis of a plain tile without gaps; the leading axes of DN repeat it."""
    axes = list(range(len(shape)))
    if layout is Layout.DN:
        axes[-2:] = axes[:-3:-1]
    steps = [0] * len(shape)
    total = 1
    for axis in reversed(axes):
        steps[axis] = total
        total *= shape[axis]
    return tuple(steps)


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _band(type: TileType, valid: Extent) -> int:
    """Extent of a band, in elements along it: rows for NZ and NN, columns for ZN and ZZ.

    A compact tile packs its bands to the valid extent; "row plus one" leaves one row between bands, so that they fall
    into different banks of the buffer.
    """
    axis = -2 if type.layout in _COLUMN_BANDS else -1
    if type.compact == 0:
        return type.shape[axis]
    return _up(valid[axis], box(type)[axis]) + (1 if type.compact == 2 else 0)


@lru_cache(maxsize=4096)
def plan(type: TileType, extent: Extent, valid: Extent, strides: Extent | None = None) -> Plan:
    """The view over the first `extent` elements of each axis of a tile with valid region `valid`."""
    if type.layout in _PLAIN:
        return Plan(extent, dense_strides(type.shape, type.layout) if strides is None else strides, extent)
    if strides is not None:
        raise ValueError(f"a tile in {type.layout.value} cannot keep the pitch of a parent")
    rows, columns = box(type)
    row_boxes, column_boxes = -(-extent[-2] // rows), -(-extent[-1] // columns)
    band = _band(type, valid)
    if type.layout is Layout.NZ:  # boxes of a band join without a seam: a row is one step whatever its box
        inner_shape, inner_strides = (extent[-2], column_boxes, columns), (columns, band * columns, 1)
        padded = (extent[-2], column_boxes * columns)
    elif type.layout is Layout.ZN:
        inner_shape, inner_strides = (row_boxes, rows, extent[-1]), (band * rows, 1, rows)
        padded = (row_boxes * rows, extent[-1])
    else:
        row_wise = type.layout is Layout.ZZ
        row_box, column_box = (band * rows, rows * columns) if row_wise else (rows * columns, band * columns)
        row, column = (columns, 1) if row_wise else (1, rows)
        inner_shape = (row_boxes, rows, column_boxes, columns)  # type: ignore[assignment]
        inner_strides = (row_box, row, column_box, column)  # type: ignore[assignment]
        padded = (row_boxes * rows, column_boxes * columns)
    leading = dense_strides(type.shape, Layout.ND)[:-2]
    return Plan((*extent[:-2], *inner_shape), (*leading, *inner_strides), (*extent[:-2], *padded))


class Region:
    """The first `extent` elements of each axis of a tile, ready to be viewed at any byte of any buffer.

    `raw` is the strided view of the bytes; `logical` and `store` go between it and rows and columns. `is_dense` where
    its elements are those of whole boxes, in logical order. Elements have at least eight bits.
    """

    __slots__ = ("_dtype", "_padded", "_shape", "_steps", "_window", "extent", "is_dense", "is_plain")

    def __init__(self, type: TileType, extent: Extent, valid: Extent, strides: Extent | None) -> None:
        laid = plan(type, extent, valid, strides)
        self.extent = extent
        self.is_plain = type.layout in _PLAIN
        self._dtype = numpy_dtype(type.dtype)
        self._shape = laid.shape
        self._steps = tuple(step * self._dtype.itemsize for step in laid.strides)
        self._padded = laid.padded
        self.is_dense = laid.padded == extent
        self._window = tuple(slice(size) for size in extent)

    @property
    def span(self) -> int:
        """Bytes from the first element to the end of the last one."""
        if 0 in self._shape:
            return 0
        last = sum((size - 1) * step for size, step in zip(self._shape, self._steps, strict=True))
        return last + self._dtype.itemsize

    def raw(self, buffer: Buffer, address: int) -> Array:
        """The view at byte `address`; ValueError or TypeError where it leaves the buffer."""
        view: Array = np.ndarray(self._shape, self._dtype, buffer, address, self._steps)
        return view

    def logical(self, raw: Array) -> Array:
        """The elements in logical order: `raw` itself for a plain tile, else a copy."""
        if self.is_plain:
            return raw
        whole = raw.reshape(self._padded)
        return whole if self.is_dense else whole[self._window]

    def store(self, raw: Array, value: Array) -> None:
        """Overwrite the elements with `value`, which has the shape `extent`."""
        if self.is_plain:
            raw[...] = value
        elif self.is_dense:
            raw[...] = value.reshape(self._shape)
        else:
            whole = raw.reshape(self._padded)
            whole[self._window] = value
            raw[...] = whole.reshape(self._shape)


def common_views(left: Region, left_raw: Array, right: Region, right_raw: Array) -> tuple[Array, Array] | None:
    """The raw views of two regions of one extent under one shape; None where a box of one lies across boxes of the
    other, or is not full."""
    if left.extent != right.extent or 0 in left.extent or not (left.is_dense and right.is_dense):
        return None
    steps = sorted({*_suffix_products(left_raw.shape), *_suffix_products(right_raw.shape)}, reverse=True)
    shape = tuple(outer // inner for outer, inner in pairwise(steps))
    if any(outer % inner for outer, inner in pairwise(steps)):
        return None
    return left_raw.reshape(shape), right_raw.reshape(shape)


def _suffix_products(shape: Extent) -> Iterator[int]:
    total = 1
    yield total
    for size in reversed(shape):
        total *= size
        yield total


@lru_cache(maxsize=4096)
def region(type: TileType, extent: Extent, valid: Extent, strides: Extent | None = None) -> Region:
    """The region of `extent` of a tile with the valid region `valid`, which sets the pitch of compact tiles."""
    return Region(type, extent, valid, strides)


def read(
    buffer: Buffer,
    address: int,
    type: TileType,
    extent: Extent,
    valid: Extent | None = None,
    strides: Extent | None = None,
) -> Array:
    """The first `extent` elements of each axis of the tile at byte `address`, in logical order.

    `valid` is the valid region (default `extent`), which sets the pitch of compact tiles. Plain tiles come as a view of
    `buffer`, boxed ones and sub-byte elements as a copy. ValueError or TypeError where the tile leaves the buffer.
    """
    if type.dtype.bits < 8:
        return _read_packed(buffer, address, type, extent, valid or extent, strides)
    found = region(type, extent, valid or extent, strides)
    return found.logical(found.raw(buffer, address))


def write(
    buffer: Buffer,
    address: int,
    type: TileType,
    value: Array,
    valid: Extent | None = None,
    strides: Extent | None = None,
) -> None:
    """Stores `value` (logical order) as the first elements of the tile at byte `address`; the rest keeps its bytes."""
    extent = value.shape
    if type.dtype.bits < 8:
        _write_packed(buffer, address, type, value, valid or extent, strides)
        return
    found = region(type, extent, valid or extent, strides)
    found.store(found.raw(buffer, address), value)


@lru_cache(maxsize=256)
def offsets(type: TileType, extent: Extent, valid: Extent, strides: Extent | None = None) -> NDArray[np.int64]:
    """Offset in elements of each of the first `extent` elements, in logical order."""
    laid = plan(type, extent, valid, strides)
    total = np.zeros(laid.shape, np.int64)
    for axis, (size, step) in enumerate(zip(laid.shape, laid.strides, strict=True)):
        total += (np.arange(size) * step).reshape((size,) + (1,) * (len(laid.shape) - axis - 1))
    return total.reshape(laid.padded)[tuple(slice(size) for size in extent)]


def _read_packed(
    buffer: Buffer, address: int, type: TileType, extent: Extent, valid: Extent, strides: Extent | None
) -> Array:
    """Four-bit elements, one per byte; the element of even offset is the low half of its byte."""
    place = offsets(type, extent, valid, strides)
    codes = (buffer[address + place // 2] >> (place % 2 * 4).astype(np.uint8)) & np.uint8(15)
    elements: Array = codes.view(numpy_dtype(type.dtype))
    return elements


def _write_packed(
    buffer: Buffer, address: int, type: TileType, value: Array, valid: Extent, strides: Extent | None
) -> None:
    place = offsets(type, value.shape, valid, strides)
    codes = np.ascontiguousarray(value).view(np.uint8) & np.uint8(15)
    for half, keep in ((0, np.uint8(0xF0)), (1, np.uint8(0x0F))):
        chosen = place % 2 == half
        at = address + place[chosen] // 2
        buffer[at] = (buffer[at] & keep) | (codes[chosen] << np.uint8(4 * half))
