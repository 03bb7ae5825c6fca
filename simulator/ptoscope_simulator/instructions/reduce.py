"""Reductions: rows (over the last axis), columns (over the last but one) or the axis given by attribute `axis`.

Sums of 16-bit floating-point rows accumulate in float32 and round once; the order of the additions is numpy's pairwise
one, so a float32 sum of n elements is within about log2(n) ULP of the exact value. NaN wins maxima and minima.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .numeric import is_float, wide
from .registry import Array, Context, Function, instruction


def reduced_axis(context: Context, default: int) -> int:
    axis = context.attributes.get("axis")
    return default if axis is None else int(axis)


def total(value: Array, axis: int) -> Array:
    addend = wide(value) if is_float(value) else value
    return np.add.reduce(addend, axis=axis, keepdims=True, dtype=addend.dtype)


def product(value: Array, axis: int) -> Array:
    factor = wide(value) if is_float(value) else value
    return np.multiply.reduce(factor, axis=axis, keepdims=True, dtype=factor.dtype)


def largest(value: Array, axis: int) -> Array:
    return np.maximum.reduce(value, axis=axis, keepdims=True)


def smallest(value: Array, axis: int) -> Array:
    return np.minimum.reduce(value, axis=axis, keepdims=True)


REDUCTIONS: dict[str, Callable[[Array, int], Array]] = {
    "SUM": total,
    "PROD": product,
    "MAX": largest,
    "MIN": smallest,
}


def _reduction(function: Callable[[Array, int], Array], default_axis: int) -> Function:
    def semantics(context: Context, value: Array) -> Array:
        return context.round(0, function(value, reduced_axis(context, default_axis)))

    return semantics


def _place(function: Callable[..., Any], extreme: Callable[[Array, int], Array], default_axis: int) -> Function:
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
