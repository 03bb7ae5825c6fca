"""Arithmetic that several instructions share: widening, rounding modes, saturation, integer division.

Callers run under `numpy.errstate(all="ignore")`: hardware raises no floating-point exceptions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from .registry import Array

_WIDE = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


_SMALL_INTEGERS = frozenset({np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4)})


def is_float(value: Array) -> bool:
    """Whether the elements are floating point, also for the types of ml_dtypes."""
    return value.dtype.kind == "f" or (value.dtype.kind == "V" and value.dtype not in _SMALL_INTEGERS)


@lru_cache(maxsize=64)
def integer_limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    limits = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
    return int(limits.min), int(limits.max)


@lru_cache(maxsize=64)
def largest_finite(dtype: np.dtype[Any]) -> float:
    """Largest finite value of a floating-point type."""
    return float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]


def wide(value: Array) -> Array:
    """Floating-point `value` in float32 or better, so that several steps can follow with one rounding at the end."""
    return value if value.dtype in _WIDE else value.astype(np.float32)


def number(scalar: Any, like: Array) -> Any:
    """`scalar` as one element of the type of `like`; integers wrap."""
    if is_float(like):
        return like.dtype.type(scalar)
    return np.asarray(int(scalar)).astype(like.dtype)[()]


def trunc_divide(left: Array, right: Array) -> Array:
    """Integer quotient rounded toward zero, as C has it; zero where the divisor is zero."""
    quotient = left // right
    inexact = (quotient * right != left) & ((left < 0) != (right < 0)) & (right != 0)
    result: Array = quotient + inexact.astype(quotient.dtype)
    return result


def round_mode(name: Any) -> str:
    """The upper-case name of a RoundMode without its prefix, from a string or an enumeration member."""
    return str(getattr(name, "name", name)).upper().removeprefix("CAST_")


def to_integral(value: Array, mode: str) -> Array:
    """`value` (float32 or float64) rounded to an integral value.

    RINT and NONE to nearest even, ROUND to nearest with ties away from zero, FLOOR, CEIL, TRUNC, and ODD, which takes
    the odd neighbour of whatever is not integral (von Neumann rounding).
    """
    if mode in ("RINT", "NONE", "HYBRID"):
        return np.rint(value)
    if mode == "FLOOR":
        return np.floor(value)
    if mode == "CEIL":
        return np.ceil(value)
    whole = np.trunc(value)
    if mode == "TRUNC":
        return whole
    if mode == "ROUND":
        away: Array = whole + np.copysign((np.abs(value - whole) >= 0.5).astype(value.dtype), value)
        return away
    if mode == "ODD":
        low = np.floor(value)
        odd: Array = low + ((low != value) & (np.mod(low, 2) == 0)).astype(value.dtype)
        return odd
    raise ValueError(f"unknown round mode {mode}")


def to_integer(value: Array, dtype: np.dtype[Any]) -> Array:
    """Integral floating-point `value` in the integer type `dtype`, saturated; NaN becomes zero."""
    least, most = integer_limits(dtype)
    low, high = float(least), float(most)
    value = np.nan_to_num(value.astype(np.float64), copy=False, nan=0.0, posinf=high, neginf=low)
    if most < 1 << 62:
        return np.clip(value, low, high).astype(np.int64).astype(dtype)
    # 2^63 - 1 is no float64: the neighbours of the limits are cut before the conversion, which would wrap.
    inside = np.where((value < high) & (value >= low), value, 0.0).astype(dtype)
    return np.where(value >= high, dtype.type(most), np.where(value < low, dtype.type(least), inside))


def narrow(value: Array, dtype: np.dtype[Any], mode: str, saturate: bool) -> Array:
    """`value` (float32 or float64) in the narrower floating-point type `dtype`.

    Overflow gives infinity (NaN where the type has none), or the largest finite value with `saturate`; NaN stays NaN.
    """
    if saturate:
        largest = largest_finite(dtype)
        value = np.where(np.isnan(value), value, np.clip(value, -largest, largest))
    nearest = value.astype(dtype)
    if mode in ("RINT", "NONE"):
        return nearest
    exact = value.astype(np.float64)
    rounded = nearest.astype(np.float64)
    above, below = rounded > exact, rounded < exact
    if mode == "FLOOR":
        return np.where(above, np.nextafter(nearest, dtype.type(-np.inf)), nearest)
    if mode == "CEIL":
        return np.where(below, np.nextafter(nearest, dtype.type(np.inf)), nearest)
    if mode == "TRUNC":
        return np.where(np.abs(rounded) > np.abs(exact), np.nextafter(nearest, dtype.type(0)), nearest)
    beyond = np.where(above, np.nextafter(nearest, dtype.type(-np.inf)), np.nextafter(nearest, dtype.type(np.inf)))
    if mode == "ROUND":
        tie = (above | below) & (beyond.astype(np.float64) - exact == exact - rounded)
        return np.where(tie & (np.abs(exact) > np.abs(rounded)), beyond, nearest)
    if mode == "ODD":
        even = nearest.view(np.dtype(f"u{dtype.itemsize}")) % 2 == 0
        return np.where((above | below) & even, beyond, nearest)
    raise ValueError(f"unknown round mode {mode}")
