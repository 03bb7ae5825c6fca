"""Instructions that are one numpy function per element: two tiles, a tile and a scalar, or one tile.

Integers wrap, floating-point results are rounded once to the element type. TMAX and TMIN return NaN where either
element is NaN. Exponential and logarithm are those of numpy in float32 (at most 3 ULP; the hardware approximates too).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .numeric import is_float, number, trunc_divide, wide
from .registry import Array, Context, Function, instruction

Binary = Callable[[Array, Any], Array]
Unary = Callable[[Array], Array]


def divide(left: Array, right: Any) -> Array:
    """Quotient; that of integers is rounded toward zero."""
    return np.true_divide(left, right) if is_float(left) else trunc_divide(left, right)


def _relu(value: Array) -> Array:
    result: Array = np.maximum(value, value.dtype.type(0))
    return result


def subtract_relu(left: Array, right: Any) -> Array:
    return _relu(np.subtract(left, right))


def power(base: Array, exponent: Any) -> Array:
    """base ** exponent; for integers a negative exponent gives zero, but for bases of 1 and -1."""
    raised: Array = np.power(base, exponent if is_float(base) else np.maximum(exponent, 0))
    if is_float(base):
        return raised
    unit = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (np.asarray(exponent) % 2), 0))
    return np.where(np.asarray(exponent) < 0, unit, raised).astype(base.dtype)


BINARY: dict[str, Binary] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": divide,
    "MAX": np.maximum,
    "MIN": np.minimum,
    "AND": np.bitwise_and,
    "OR": np.bitwise_or,
    "XOR": np.bitwise_xor,
    "SHL": np.left_shift,
    "SHR": np.right_shift,
    "FMOD": np.fmod,
    "REM": np.mod,
    "POW": power,
    "SUBRELU": subtract_relu,
}

UNARY: dict[str, Unary] = {
    "ABS": np.abs,
    "NEG": np.negative,
    "NOT": np.invert,
    "EXP": np.exp,
    "LOG": np.log,
    "SQRT": np.sqrt,
    "RSQRT": lambda value: np.reciprocal(np.sqrt(wide(value))),
    "RECIP": lambda value: np.reciprocal(wide(value)),
    "RELU": _relu,
}


def _of_tiles(function: Binary) -> Function:
    def semantics(context: Context, left: Array, right: Array) -> Array:
        return context.round(0, function(left, right))

    return semantics


def _of_tile_and_scalar(function: Binary) -> Function:
    def semantics(context: Context, left: Any, right: Any) -> Array:
        if isinstance(left, np.ndarray):
            return context.round(0, function(left, number(right, left)))
        return context.round(0, function(np.asarray(number(left, right)), right))

    return semantics


def _of_tile(function: Unary) -> Function:
    def semantics(context: Context, value: Array) -> Array:
        return context.round(0, function(value))

    return semantics


def in_place(function: Binary | Unary) -> np.ufunc | None:
    return function if isinstance(function, np.ufunc) else None


for _name, _binary in BINARY.items():
    instruction(f"T{_name}", ufunc=in_place(_binary))(_of_tiles(_binary))
    if _name != "SUBRELU":
        instruction(f"T{_name}S", ufunc=in_place(_binary))(_of_tile_and_scalar(_binary))
for _name, _unary in UNARY.items():
    instruction(f"T{_name}", ufunc=in_place(_unary))(_of_tile(_unary))
