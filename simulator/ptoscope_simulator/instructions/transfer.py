"""TLOAD and TSTORE: between a window of global memory and a tile, and what padding and atomics do.

A window in NZ has the axes (..., columns / C0, rows / 16, 16, C0); in DN the rows are the last axis but one and the
columns all others; in ND the columns are the last axis and the rows all others.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from ptoscope_compiler.hardware import Layout, MemorySpace
from ptoscope_compiler.pto.operands import Tile, Window

from .fixpipe import leave_accumulator
from .numeric import integer_limits
from .registry import Array, Context, OperandView, instruction

_BLOCK_BYTES = 32
_ATOMIC = {"add": np.add, "max": np.maximum, "min": np.minimum}


def logical(array: Array, layout: Layout) -> Array:
    """A window of rank 3 or more as rows and columns; of rank 2 and less it is so already."""
    if array.ndim <= 2:
        return array
    if layout is Layout.NZ:
        row_axes, column_axes = (array.ndim - 3, array.ndim - 2), (*range(array.ndim - 3), array.ndim - 1)
        rows = array.shape[-3] * array.shape[-2]
        result: Array = array.transpose(*row_axes, *column_axes).reshape(rows, -1)
        return result
    if layout is Layout.DN:
        return np.moveaxis(array, -2, 0).reshape(array.shape[-2], -1)
    return array.reshape(-1, array.shape[-1])


def physical(array: Array, shape: tuple[int, ...], layout: Layout) -> Array:
    """The inverse of `logical`: rows and columns as a window of `shape`, or as its leading part."""
    if array.shape == shape:
        return array
    if layout is Layout.NZ:
        *outer, row_boxes, rows, columns = shape
        boxes = array.reshape(row_boxes, rows, *outer, columns)
        result: Array = boxes.transpose(*range(2, 2 + len(outer)), 0, 1, len(shape) - 1)
        return result
    if layout is Layout.DN and len(shape) > 2:
        return np.moveaxis(array.reshape(shape[-2], *shape[:-2], shape[-1]), 0, -2)
    if array.size == prod(shape):
        return array.reshape(shape)
    return array.reshape((1,) * (len(shape) - array.ndim) + array.shape)


def pad_value(pad: str, dtype: np.dtype[Any]) -> Any:
    """The element that a tile's `pad` stands for: infinities for floating point, the limits for integers."""
    if pad in ("null", "zero"):
        return dtype.type(0)
    if dtype.kind in "iu":
        return dtype.type(integer_limits(dtype)[pad == "max"])
    return dtype.type(np.inf if pad == "max" else -np.inf)


def _padded_extent(context: Context, extent: tuple[int, ...], view: OperandView) -> tuple[int, ...]:
    """A row of a vector tile is padded up to the next block of 32 bytes; the CPU simulator fills the whole tile."""
    operand = view.operand
    assert isinstance(operand, Tile)
    if context.target.arch == "cpu":
        return view.physical
    if operand.type.pad == "null" or operand.type.space is not MemorySpace.UB or operand.type.layout is not Layout.ND:
        return extent
    block = _BLOCK_BYTES // view.dtype.bytes
    return (*extent[:-1], min(-(-extent[-1] // block) * block, view.physical[-1]))


def _padded(context: Context, value: Array, view: OperandView) -> Array:
    extent = _padded_extent(context, value.shape, view)
    if extent == value.shape:
        return value
    operand = view.operand
    assert isinstance(operand, Tile)
    result = np.full(extent, pad_value(operand.type.pad, value.dtype), value.dtype)
    result[tuple(map(slice, value.shape))] = value
    return result


def _loads_as_is(context: Context) -> bool:
    view = context.outputs[0]
    return context.keeps_extent and context.keeps_type and _padded_extent(context, view.valid, view) == view.valid


def _stores_as_is(context: Context) -> bool:
    return (
        context.keeps_extent and context.keeps_type and not _leaves_accumulator(context) and _atomic(context) == "none"
    )


@instruction("TLOAD", "TPREFETCH", copies=_loads_as_is)
def load(context: Context, source: Array) -> Array:
    """As much as the valid region of the tile; the window may be larger."""
    view, origin = context.outputs[0], context.inputs[0]
    assert origin is not None
    value = source
    if source.shape != view.valid:
        layout = origin.operand.layout if isinstance(origin.operand, Window) else Layout.ND
        if source.ndim == len(view.valid):
            value = source[tuple(map(slice, view.valid))]
        else:
            rows, columns = prod(view.valid[:-1]), view.valid[-1]
            value = logical(source, layout)[:rows, :columns].reshape(view.valid)
    return _padded(context, context.round(0, value), view)


@instruction("TSTORE", copies=_stores_as_is)
def store(context: Context, source: Array, destination: Array | None = None) -> Array:
    """Attributes: `atomic` ("add", "max" or "min" with the old contents, then the second input); `pre_quant`, `relu`
    and the conversion of accumulators, see `fixpipe`."""
    if _leaves_accumulator(context):
        source = leave_accumulator(context, source)
    return _stored(context, source, destination)


@instruction("TSTORE_FP")
def store_quantised(context: Context, source: Array, columns: Array, destination: Array | None = None) -> Array:
    """As TSTORE of an accumulator, with one 64-bit parameter per column."""
    value = leave_accumulator(context, source, columns[..., : source.shape[-1]])
    return _stored(context, value, destination)


def _leaves_accumulator(context: Context) -> bool:
    origin = context.inputs[0]
    return origin is not None and isinstance(origin.operand, Tile) and origin.operand.type.space is MemorySpace.L0C


def _atomic(context: Context) -> str:
    return str(context.attributes.get("atomic") or "none").lower()


def _stored(context: Context, value: Array, destination: Array | None) -> Array:
    view = context.outputs[0]
    layout = view.operand.layout if isinstance(view.operand, Window) else Layout.ND
    value = context.round(0, physical(value, view.valid, layout))
    atomic = _atomic(context)
    if atomic == "none" or destination is None:
        return value
    return context.round(0, _ATOMIC[atomic](destination[tuple(map(slice, value.shape))], value))


@instruction("TFILLPAD", "TFILLPAD_EXPAND", "TFILLPAD_INPLACE")
def fill_pad(context: Context, source: Array) -> Array:
    """The source, and the tile's `pad` (or attribute `value`) in every other element of the physical tile."""
    view = context.outputs[0]
    operand = view.operand
    assert isinstance(operand, Tile)
    value = context.attributes.get("value")
    dtype = source.dtype
    fill = pad_value(operand.type.pad, dtype) if value is None else dtype.type(value)
    result = np.full(view.physical, fill, dtype)
    result[tuple(map(slice, source.shape))] = source
    return result
