"""Element-wise instructions of several steps. Every step rounds to the element type, as the CPU simulator does."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numeric import number, to_integer, to_integral, wide
from .registry import Array, Context, instruction


@instruction("TADDC")
def add_three(context: Context, first: Array, second: Array, third: Array) -> Array:
    return context.round(0, first + second + third)


@instruction("TSUBC")
def subtract_add(context: Context, first: Array, second: Array, third: Array) -> Array:
    return context.round(0, first - second + third)


@instruction("TADDSC")
def add_scalar_add(context: Context, first: Array, scalar: Any, second: Array) -> Array:
    return context.round(0, first + number(scalar, first) + second)


@instruction("TSUBSC")
def subtract_scalar_add(context: Context, first: Array, scalar: Any, second: Array) -> Array:
    return context.round(0, first - number(scalar, first) + second)


@instruction("TMULADDDST")
def multiply_add_destination(context: Context, first: Array, second: Array, destination: Array) -> Array:
    """first * second + destination."""
    return context.round(0, first * second + destination)


@instruction("TFUSEDMULADD")
def multiply_destination_add(context: Context, first: Array, second: Array, destination: Array) -> Array:
    """first * destination + second."""
    return context.round(0, first * destination + second)


@instruction("TFUSEDMULADDRELU")
def multiply_destination_add_relu(context: Context, first: Array, second: Array, destination: Array) -> Array:
    result: Array = np.maximum(multiply_destination_add(context, first, second, destination), 0)
    return result


@instruction("TAXPY")
def axpy(context: Context, source: Array, scalar: Any, destination: Array) -> Array:
    """scalar * source + destination; a float16 source may accumulate into float32, where its product is exact. The CPU
    simulator rounds that product to float16."""
    if context.target.arch != "cpu":
        source = source.astype(destination.dtype, copy=False)
    return context.round(0, number(scalar, source) * source + destination)


@instruction("TLRELU")
def leaky_relu(context: Context, value: Array, slope: Any) -> Array:
    return context.round(0, np.where(value > 0, value, value * number(slope, value)))


@instruction("TPRELU")
def parametric_relu(context: Context, value: Array, slope: Array) -> Array:
    return context.round(0, np.where(value > 0, value, value * slope))


@instruction("TADDRELUCONV")
def add_relu_convert(context: Context, left: Array, right: Array) -> Array:
    return _relu_convert(context, left + right)


@instruction("TSUBRELUCONV")
def subtract_relu_convert(context: Context, left: Array, right: Array) -> Array:
    return _relu_convert(context, left - right)


def _relu_convert(context: Context, value: Array) -> Array:
    """The positive part, converted to the output type: f32 to f16, or f16 and i16 to i8 with saturation."""
    positive = np.maximum(value, value.dtype.type(0))
    view = context.outputs[0]
    if view.dtype.is_float:
        return context.round(0, positive)
    return to_integer(to_integral(wide(positive), "RINT"), view.numpy)


@instruction("TADDDEQRELU")
def add_dequantise_relu(context: Context, left: Array, right: Array, scale: float) -> Array:
    """relu(float16(scale * float32(left + right))) of int32 tiles."""
    total = (left + right).astype(np.float64 if context.exact else np.float32)
    return np.maximum(context.round(0, total * total.dtype.type(scale)), 0)
