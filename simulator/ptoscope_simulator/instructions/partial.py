"""TPART*: two tiles with different valid regions. Where both are valid they combine, where one is, it is copied.

Where neither is valid the result is zero, as in the CPU simulator; the instruction set leaves it open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .registry import Array, Context, Function, instruction


def _overlay(context: Context, output: int, left: Array, right: Array) -> tuple[Array, tuple[slice, ...]]:
    """`left` over `right` over zeros, and the region in which both are valid."""
    result = np.zeros(context.outputs[output].valid, left.dtype)
    result[tuple(map(slice, right.shape))] = right
    result[tuple(map(slice, left.shape))] = left
    return result, tuple(slice(min(a, b)) for a, b in zip(left.shape, right.shape, strict=True))


def _combined(function: Callable[[Array, Array], Array]) -> Function:
    def semantics(context: Context, left: Array, right: Array) -> Array:
        result, both = _overlay(context, 0, left, right)
        result[both] = function(left[both], right[both])
        return context.round(0, result)

    return semantics


def _chosen(better: Callable[[Array, Array], Array]) -> Function:
    def semantics(context: Context, left: Array, right: Array, left_index: Array, right_index: Array) -> Any:
        values, both = _overlay(context, 0, left, right)
        indices, _ = _overlay(context, 1, left_index, right_index)
        second = better(right[both], left[both])
        values[both] = np.where(second, right[both], left[both])
        indices[both] = np.where(second, right_index[both], left_index[both])
        return context.round(0, values), context.round(1, indices)

    return semantics


for _name, _function in (("ADD", np.add), ("MUL", np.multiply), ("MAX", np.maximum), ("MIN", np.minimum)):
    instruction(f"TPART{_name}")(_combined(_function))
instruction("TPARTARGMAX")(_chosen(np.greater))
instruction("TPARTARGMIN")(_chosen(np.less))
