"""Casts and quantisation. Between floating-point types a cast is the identity here; to an integer it rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..registry import Array, GoldenContext, golden

_RINT, _ROUND, _FLOOR, _CEIL, _TRUNC = 1, 2, 3, 4, 5


def _away_from_zero(value: Array) -> Array:
    found: Array = np.copysign(np.floor(np.abs(value) + 0.5), value)
    return found


_MODES: dict[int, Callable[[Array], Array]] = {
    _RINT: np.rint,
    _ROUND: _away_from_zero,
    _FLOOR: np.floor,
    _CEIL: np.ceil,
    _TRUNC: np.trunc,
}


@golden("CAST")
def cast(context: GoldenContext, value: Array) -> Any:
    """Modes count as in `CastMode` of `framework/include/tilefwk/data_type.h`; none means towards zero for integers."""
    if context.dtype().name == "DT_BOOL":
        return value != 0
    if context.dtype().is_float or value.dtype.kind != "f":
        return value
    return _MODES.get(int(context.attribute("op_attr_mode", 0)), np.trunc)(value)


@golden("QUANTIZE_SYM", "QUANTIZE_ASYM")
def quantize(context: GoldenContext, value: Array, scale: Array, zero: Array | None = None) -> Any:
    """value x scale plus the zero point, rounded to nearest even and saturated, as the operation is defined."""
    axis = int(context.attribute("op_attr_axis", -1))
    steps = value * np.expand_dims(scale, axis)
    if zero is not None:
        steps = steps + np.expand_dims(zero, axis)
    bits = context.dtype().bits
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if zero is None else (0, (1 << bits) - 1)
    return np.clip(np.rint(steps), low, high)


@golden("DEQUANTIZE")
def dequantize(context: GoldenContext, value: Array, scale: Array, zero: Array | None = None) -> Any:
    """value x scale, plus the zero point."""
    axis = int(context.attribute("op_attr_axis", -1))
    result = value.astype(np.float64) * np.expand_dims(scale, axis)
    return result if zero is None else result + np.expand_dims(zero, axis)
