"""Element by element: unary, binary and with a scalar. Operands broadcast over axes of extent one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..registry import Array, GoldenContext, golden


def _every(function: Callable[[float], float]) -> Callable[[Array], Array]:
    vectorised = np.frompyfunc(function, 1, 1)

    def apply(value: Array) -> Array:
        found: Array = np.asarray(vectorised(value.astype(np.float64)), np.float64)
        return found

    return apply


UNARY: dict[str, Callable[..., Any]] = {
    "EXP": np.exp, "EXPM1": np.expm1, "EXP2": np.exp2, "LN": np.log, "LOG1P": np.log1p, "SQRT": np.sqrt,
    "ABS": np.abs, "NEG": np.negative, "SIN": np.sin, "COS": np.cos, "TAN": np.tan, "ASIN": np.arcsin,
    "ACOS": np.arccos, "ATAN": np.arctan, "SINH": np.sinh, "COSH": np.cosh, "TANH": np.tanh, "ASINH": np.arcsinh,
    "ACOSH": np.arccosh, "ATANH": np.arctanh, "CEIL": np.ceil, "FLOOR": np.floor, "TRUNC": np.trunc,
    "SIGN": np.sign, "SIGNBIT": np.signbit, "ISFINITE": np.isfinite, "ISNAN": np.isnan,
    "ERF": _every(math.erf), "ERFC": _every(math.erfc),
    "RECIPROCAL": lambda x: 1.0 / x, "RSQRT": lambda x: 1.0 / np.sqrt(x), "RELU": lambda x: np.maximum(x, 0),
    "LOGICALNOT": lambda x: x == 0, "HUB": lambda x: x,
}  # fmt: skip


def trunc_divide(left: Array, right: Array) -> Array:
    """Quotient of integers rounded toward zero."""
    quotient = left // right
    inexact = (quotient * right != left) & ((left < 0) != (right < 0)) & (right != 0)
    found: Array = quotient + inexact
    return found


def divide(left: Array, right: Array) -> Array:
    """Integers divide in floating point, as the operation's FP32 result asks for."""
    found: Array = np.true_divide(left, right)
    return found


BINARY: dict[str, Callable[..., Any]] = {
    "ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "DIV": divide, "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum, "MOD": np.fmod, "REM": np.mod, "POW": np.power, "ATAN2": np.arctan2, "HYPOT": np.hypot,
    "FLOORDIV": np.floor_divide, "COPYSIGN": np.copysign, "GCD": np.gcd, "BITWISEAND": np.bitwise_and,
    "BITWISEOR": np.bitwise_or, "BITWISEXOR": np.bitwise_xor, "BITWISELEFTSHIFT": np.left_shift,
    "BITWISERIGHTSHIFT": np.right_shift, "LOGICALAND": np.logical_and,
    "EXPANDEXPDIF": lambda x, y: np.exp(x - y),
}  # fmt: skip

SCALAR = {
    "ADDS": "ADD", "SUBS": "SUB", "MULS": "MUL", "DIVS": "DIV", "MAXS": "MAXIMUM", "MINS": "MINIMUM", "MODS": "MOD",
    "REMS": "REM", "POWS": "POW", "FLOORDIVS": "FLOORDIV", "GCDS": "GCD", "BITWISEANDS": "BITWISEAND",
    "BITWISEORS": "BITWISEOR", "BITWISEXORS": "BITWISEXOR", "BITWISELEFTSHIFTS": "BITWISELEFTSHIFT",
    "BITWISERIGHTSHIFTS": "BITWISERIGHTSHIFT",
}  # fmt: skip
REVERSED_SCALAR = {
    "REMRS": "REM",
    "SBITWISELEFTSHIFT": "BITWISELEFTSHIFT",
    "SBITWISERIGHTSHIFT": "BITWISERIGHTSHIFT",
}
_SCALAR_CORE = ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN")
_LONG_NAMES = {"MAX": "MAXIMUM", "MIN": "MINIMUM"}


def common(left: Array, right: Array) -> tuple[Array, Array]:
    """Both operands cut to the extents that both have, axes of extent one aside."""
    if left.shape == right.shape or left.ndim != right.ndim:
        return left, right
    extents = [max(a, b) if 1 in (a, b) else min(a, b) for a, b in zip(left.shape, right.shape, strict=True)]
    cut = tuple(slice(extent) for extent in extents)
    return left[cut], right[cut]


def _integer(context: GoldenContext, value: Any, output: int = 0) -> Any:
    """Rounds toward zero where a quotient or power lands in an integer tensor."""
    return np.trunc(value) if context.dtype(output).is_integer and np.asarray(value).dtype.kind == "f" else value


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda context, value: function(value)


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda context, left, right: _integer(context, function(*common(left, right)))


def _with_scalar(function: Callable[..., Any], always_reversed: bool = False) -> Callable[..., Any]:
    def apply(context: GoldenContext, value: Array) -> Any:
        other = np.asarray(context.scalar)
        if value.dtype.kind == "f":
            other = other.astype(np.float64)
        first, second = value, other
        if always_reversed or context.attribute("op_attr_reverseOperand", False):
            first, second = other, value
        return _integer(context, function(first, second))

    return apply


for _opcode, _function in UNARY.items():
    golden(_opcode)(_unary(_function))
for _opcode, _function in BINARY.items():
    golden(_opcode)(_binary(_function))
for _opcode, _name in SCALAR.items():
    golden(_opcode)(_with_scalar(BINARY[_name]))
for _opcode, _name in REVERSED_SCALAR.items():
    golden(_opcode)(_with_scalar(BINARY[_name], always_reversed=True))
for _name in _SCALAR_CORE:
    _function = BINARY[_LONG_NAMES.get(_name, _name)]
    golden(f"S_{_name}")(_binary(_function))
    golden(f"S_{_name}S")(_with_scalar(_function))


@golden("ROUND")
def rounded(context: GoldenContext, value: Array) -> Any:
    """To `decimals` places, halves to even. What is a half is decided in float32: a decimal fraction hardly ever is one
    in exact arithmetic."""
    shift = np.float32(10.0 ** int(context.attribute("op_attr_decimals", 0)))
    steps = np.rint(value.astype(np.float32) * shift).astype(np.float64)
    return np.where(np.isfinite(steps), steps / np.float64(shift), value)


@golden("BITWISENOT")
def bitwise_not(context: GoldenContext, value: Array) -> Any:
    inverted = ~value
    unsigned = context.dtype().kind.value == "unsigned integer"
    return inverted & ((1 << context.dtype().bits) - 1) if unsigned else inverted


@golden("LRELU")
def leaky_relu(context: GoldenContext, value: Array) -> Any:
    return np.where(value >= 0, value, value * context.scalar)


@golden("PRELU")
def parametric_relu(context: GoldenContext, value: Array, weight: Array) -> Any:
    """One weight per channel, axis 1; one for all where the value has one axis."""
    shape = [1] * value.ndim
    if value.ndim > 1:
        shape[1] = weight.size
    return np.where(value >= 0, value, value * weight.reshape(shape))


@golden("AXPY")
def scaled_add(context: GoldenContext, value: Array, other: Array) -> Any:
    left, right = common(value, other)
    return left + context.scalar * right
