"""Reductions: rows (over the last axis), columns (over the last but one) or the axis given by attribute `axis`.

A row of 16-bit floating-point elements is summed in float32 and rounded once; a float32 row is summed in pairs, as the
vector unit does, though not in its order. Columns are summed row after row in the element type, as the hardware does.
NaN wins maxima and minima.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .numeric import is_float, wide
from .registry import Array, Context, Function, instruction

Reduction = Callable[[Array, int], Array]


def reduced_axis(context: Context, default: int) -> int:
    axis = context.attributes.get("axis")
    return default if axis is None else int(axis)


def _accumulated(function: np.ufunc) -> Reduction:
    def accumulate(value: Array, axis: int) -> Array:
        if axis in (-1, value.ndim - 1):
            terms = wide(value) if is_float(value) else value
        else:
            terms = np.ascontiguousarray(value)
            if terms.size == terms.shape[axis] and is_float(value):
                # numpy would add a single column in pairs.
                return np.take(function.accumulate(terms, axis=axis), [-1], axis=axis)
        result: Array = function.reduce(terms, axis=axis, keepdims=True, dtype=terms.dtype)
        return result

    return accumulate


def largest(value: Array, axis: int) -> Array:
    result: Array = np.maximum.reduce(value, axis=axis, keepdims=True)
    return result


def smallest(value: Array, axis: int) -> Array:
    result: Array = np.minimum.reduce(value, axis=axis, keepdims=True)
    return result


REDUCTIONS: dict[str, Reduction] = {
    "SUM": _accumulated(np.add),
    "PROD": _accumulated(np.multiply),
    "MAX": largest,
    "MIN": smallest,
}


def _reduction(function: Reduction, default_axis: int) -> Function:
    def semantics(context: Context, value: Array) -> Array:
        return context.round(0, function(value, reduced_axis(context, default_axis)))

    return semantics


def _place(function: Callable[..., Any], extreme: Reduction, default_axis: int) -> Function:
    def semantics(context: Context, value: Array) -> Any:
        """Index of the first extreme element; two outputs are (value, index)."""
        axis = reduced_axis(context, default_axis)
        index = np.expand_dims(function(value, axis=axis), axis)
        if len(context.outputs) == 1 or context.outputs[0].dtype.is_integer:
            return index.astype(context.outputs[0].numpy)
        return context.round(0, extreme(value, axis)), index.astype(context.outputs[1].numpy)

    return semantics


for _prefix, _axis in (("TROW", -1), ("TCOL", -2)):
    for _name, _function in REDUCTIONS.items():
        instruction(_prefix + _name)(_reduction(_function, _axis))
    instruction(f"{_prefix}ARGMAX")(_place(np.argmax, largest, _axis))
    instruction(f"{_prefix}ARGMIN")(_place(np.argmin, smallest, _axis))


@instruction("TPAIRREDUCESUM")
def pair_sum(context: Context, value: Array) -> Array:
    """Sums of neighbours at the front of each row; an odd last element stays alone; the rest of the tile is zero."""
    columns = value.shape[-1]
    result = np.zeros((*value.shape[:-1], context.outputs[0].physical[-1]), value.dtype)
    pairs = columns // 2
    result[..., :pairs] = value[..., 0 : 2 * pairs : 2] + value[..., 1::2]
    if columns % 2:
        result[..., pairs] = value[..., -1]
    return result
