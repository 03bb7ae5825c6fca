"""Broadcasts: a scalar, one element per row or one row over all of a tile, alone or as the second operand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .elementwise import BINARY, Binary, in_place
from .registry import Array, Context, Function, instruction


def exponential_of_difference(left: Array, right: Array) -> Array:
    """exp(left - right), the difference rounded to the element type."""
    difference: Array = left - right
    return np.exp(difference)


# PTO-ISA has ADD, SUB, MUL, DIV, MAX, MIN and EXPDIF; tile operations repeat an operand of the others the same way.
_EXPANDED: dict[str, Binary] = {**BINARY, "EXPDIF": exponential_of_difference}


def per_row(value: Array, columns: int) -> Array:
    """The per-row operand against rows of `columns`: one element, or a 32-byte block that repeats along the row."""
    given = value.shape[-1]
    if given in (1, columns):
        return value
    return value.take(_repeating(columns, given), axis=-1)


@lru_cache(maxsize=256)
def _repeating(columns: int, given: int) -> Array:
    """Indices 0 to `given` - 1, over and over."""
    return np.arange(columns) % given


def _row_expanded(function: Binary) -> Function:
    def semantics(context: Context, left: Array, right: Array) -> Array:
        columns = context.outputs[0].valid[-1]
        return context.round(0, function(per_row(left, columns), per_row(right, columns)))

    return semantics


def _column_expanded(function: Binary) -> Function:
    def semantics(context: Context, left: Array, right: Array) -> Array:
        return context.round(0, function(left, right))

    return semantics


for _name, _function in _EXPANDED.items():
    instruction(f"TROWEXPAND{_name}", ufunc=in_place(_function))(_row_expanded(_function))
    instruction(f"TCOLEXPAND{_name}", ufunc=in_place(_function))(_column_expanded(_function))


@instruction("TROWEXPAND")
def row_expand(context: Context, value: Array) -> Array:
    """The first column of `value` in every column."""
    first, valid = value[..., :1], context.outputs[0].valid
    if first.shape[:-1] == valid[:-1]:
        return context.round(0, first.repeat(valid[-1], axis=-1))
    return context.round(0, np.broadcast_to(first, valid))


@instruction("TCOLEXPAND")
def column_expand(context: Context, value: Array) -> Array:
    """The first row of `value` in every row; with attribute `axis`, a repetition along that axis."""
    axis = context.attributes.get("axis")
    first = value[..., :1, :] if axis is None else value
    return context.round(0, np.broadcast_to(first, context.outputs[0].valid))


@instruction("TEXPANDS")
def fill(context: Context, scalar: Any) -> Array:
    view = context.outputs[0]
    dtype = np.dtype(np.float64) if context.exact and view.dtype.is_float else view.numpy
    value = scalar if view.dtype.is_float else np.asarray(int(scalar)).astype(dtype)
    result = np.empty(view.valid, dtype)
    result.fill(value)
    return result
