"""Gathering and scattering by index tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import Array, GoldenContext, golden


def _axis(context: GoldenContext) -> int:
    return int(context.attribute("op_attr_axis", context.attribute("axis", 0)))


@golden("GATHER")
def gather(context: GoldenContext, value: Array, index: Array) -> Any:
    """Whole slices along an axis."""
    return np.take(value, index.astype(np.int64), axis=_axis(context))


@golden("GATHER_ELEMENT")
def gather_element(context: GoldenContext, value: Array, index: Array) -> Any:
    """One element for each entry of the index tensor, which may be smaller on the other axes."""
    axis = _axis(context) % value.ndim
    cut = tuple(slice(None) if a == axis else slice(size) for a, size in enumerate(index.shape))
    return np.take_along_axis(value[cut], index.astype(np.int64), axis)


def _combine(result: Array, place: tuple[Any, ...], value: Any, mode: int) -> Array:
    """Modes: 0 replace, 1 add, 2 multiply; an element hit twice counts twice."""
    if mode == 1:
        np.add.at(result, place, value)
    elif mode == 2:
        np.multiply.at(result, place, value)
    else:
        result[place] = value
    return result


def _scattered(context: GoldenContext, value: Array, index: Array, source: Any) -> Array:
    axis = _axis(context) % value.ndim
    place: list[Array] = list(np.indices(index.shape))
    place[axis] = index.astype(np.int64)
    return _combine(value.copy(), tuple(place), source, int(context.attribute("op_attr_scatter_mode", 0)))


@golden("SCATTER_ELEMENT")
def scatter_element(context: GoldenContext, value: Array, index: Array) -> Array:
    return _scattered(context, value, index, context.scalar)


@golden("SCATTER")
def scatter(context: GoldenContext, value: Array, index: Array, source: Array) -> Array:
    return _scattered(context, value, index, source[tuple(map(slice, index.shape))])


@golden("INDEX_ADD", "INDEX_ADD_UB")
def index_add(context: GoldenContext, value: Array, source: Array, index: Array) -> Any:
    """Slices of `source`, times the scalar, added to the slices that `index` names."""
    axis = _axis(context) % value.ndim
    if index.ndim != 1:
        source, index = index, source
    result = np.moveaxis(value, axis, 0).copy()
    scale = context.attribute("SCALAR", 1)
    np.add.at(result, index.astype(np.int64), np.moveaxis(source, axis, 0) * (1 if scale is None else scale))
    return np.moveaxis(result, 0, axis)


@golden("INDEX_PUT")
def index_put(context: GoldenContext, value: Array, source: Array, *indices: Array) -> Array:
    place = tuple(index.astype(np.int64) for index in indices)
    return _combine(value.copy(), place, source, 1 if context.attribute("accumulate", False) else 0)


@golden("INDEX_OUTCAST")
def scatter_update(context: GoldenContext, source: Array, index: Array, value: Array) -> Any:
    """Rows of `source` replace the rows of the result that `index` names, in order."""
    result: Array = value.copy()
    rows = result.reshape(-1, result.shape[-1])
    flat = index.astype(np.int64).reshape(-1)
    rows[flat] = source.reshape(-1, source.shape[-1])[: flat.size]
    return result
