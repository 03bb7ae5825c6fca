"""What every micro instruction does with its predicate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..registry import Array, Context

Predicate = NDArray[np.bool_]

_PARTS = {"EVEN": 0, "ODD": 1, "ZERO": 0, "ONE": 1, "TWO": 2, "THREE": 3, "P0": 0, "P1": 1, "P2": 2, "P3": 3}


def masked(context: Context, value: Array, mask: Predicate, old: Array | None = None, output: int = 0) -> Array:
    """`value` in active lanes; zero, or `old` with attribute `merging`, in the others."""
    value = context.round(output, value)
    inactive = old if old is not None and context.attributes.get("merging") else value.dtype.type(0)
    return np.where(lane_mask(mask, value.size), value, inactive)


def ground(context: Context, value: Array, old: Array | None) -> Array:
    """What lies in the lanes of a result of the type of `value` that an instruction does not fill: zeros, or `old`."""
    if old is not None and context.attributes.get("merging"):
        return np.array(old, value.dtype)
    return np.zeros(context.outputs[0].valid, value.dtype)


def part(name: Any) -> int:
    """Which of the lanes that share a wide lane take part: 0 or "EVEN" or "ZERO" the lowest."""
    if name is None:
        return 0
    return name if isinstance(name, int) else _PARTS[str(getattr(name, "name", name)).upper()]


def lane_mask(mask: Predicate, lanes: int, first: int = 0) -> Predicate:
    """A predicate for `lanes` lanes from one of another granularity. A wider lane is governed by the narrow one at
    `first` within it; narrow lanes all follow their wide one."""
    if mask.size == lanes:
        return mask
    if mask.size > lanes:
        return mask[first :: mask.size // lanes]
    return np.repeat(mask, lanes // mask.size)
