"""Cube instructions: C = A x B, onto an accumulator or a bias.

float16 and bfloat16 operands are exact in float32 and accumulate there, in the order of the BLAS in use: a sum of K
products is within about K x 2^-24 of the sum of their magnitudes, as on the hardware, whose order is not documented.
int8 products accumulate exactly and wrap to int32. MX operands are scaled in float64 and rounded to float32 once.
"""

from __future__ import annotations

import numpy as np

from .codes import decoded
from .numeric import is_float, wide
from .registry import Array, Context, instruction

_MX_GROUP = 32


def factors(context: Context, left: Array, right: Array, first: int = 0, second: int = 1) -> tuple[Array, Array]:
    """A and B as numbers, given the places of the two among the inputs, and B cut to the columns of A."""
    views = context.inputs[first], context.inputs[second]
    if views[0] is not None and views[1] is not None:
        left, right = decoded(views[0].dtype, left), decoded(views[1].dtype, right)
    return left, right[..., : left.shape[-1], :]


def product(left: Array, right: Array) -> Array:
    """A x B; leading axes are batches. Integer products are exact while K < 2^39."""
    if is_float(left):
        return wide(left) @ wide(right)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    return exact.astype(np.int64).astype(np.int32)


@instruction("TMATMUL", "TGEMV")
def multiply(context: Context, left: Array, right: Array) -> Array:
    return context.round(0, product(*factors(context, left, right)))


@instruction("TMATMUL_ACC", "TGEMV_ACC")
def multiply_accumulate(context: Context, accumulator: Array, left: Array, right: Array) -> Array:
    return context.round(0, accumulator + product(*factors(context, left, right, 1, 2)))


@instruction("TMATMUL_BIAS", "TGEMV_BIAS")
def multiply_bias(context: Context, left: Array, right: Array, bias: Array) -> Array:
    """`bias` is one row, in the type of the accumulator."""
    return context.round(0, product(*factors(context, left, right)) + bias)


def scaled_product(left: Array, left_scale: Array, right: Array, right_scale: Array) -> Array:
    """A x B, where each group of 32 along K has a power-of-two scale; in float64."""
    depth = left.shape[-1]
    across = np.repeat(left_scale.astype(np.float64), _MX_GROUP, axis=-1)[..., :depth]
    down = np.repeat(right_scale.astype(np.float64), _MX_GROUP, axis=-2)[..., :depth, :]
    total: Array = (left.astype(np.float64) * across) @ (right.astype(np.float64) * down)
    return total


@instruction("TMATMUL_MX", "TGEMV_MX")
def multiply_scaled(context: Context, left: Array, left_scale: Array, right: Array, right_scale: Array) -> Array:
    left, right = factors(context, left, right, 0, 2)
    return context.round(0, scaled_product(left, left_scale, right, right_scale))


@instruction("TMATMUL_MX_ACC", "TGEMV_MX_ACC")
def multiply_scaled_accumulate(
    context: Context, accumulator: Array, left: Array, left_scale: Array, right: Array, right_scale: Array
) -> Array:
    left, right = factors(context, left, right, 1, 3)
    return context.round(0, accumulator + scaled_product(left, left_scale, right, right_scale))


@instruction("TMATMUL_MX_BIAS", "TGEMV_MX_BIAS")
def multiply_scaled_bias(
    context: Context, left: Array, left_scale: Array, right: Array, right_scale: Array, bias: Array
) -> Array:
    left, right = factors(context, left, right, 0, 2)
    return context.round(0, scaled_product(left, left_scale, right, right_scale) + bias)
