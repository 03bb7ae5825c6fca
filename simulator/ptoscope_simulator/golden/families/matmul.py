"""Matrix products, with transposed operands, bias, ReLU and one scale for all."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..registry import Array, GoldenContext, golden


@golden("A_MUL_B")
def product(context: GoldenContext, left: Array, right: Array, *others: Array) -> Any:
    """The bias, where there is one, is the third input."""
    if context.attribute("op_attr_trans_a", False):
        left = left.swapaxes(-1, -2)
    if context.attribute("op_attr_trans_b", False):
        right = right.swapaxes(-1, -2)
    depth = min(left.shape[-1], right.shape[-2])
    result = left[..., :depth] @ right[..., :depth, :]
    extras = list(others)
    if context.attribute("op_attr_has_bias", False) and extras:
        result = result + extras.pop(0)
    scale = int(context.attribute("op_attr_scale_value", 0) or 0)
    if scale:
        result = result * struct.unpack("<f", struct.pack("<I", scale & 0xFFFFFFFF))[0]
    elif context.attribute("op_attr_vector_quant_flag", False) and extras:
        columns = (extras.pop(0).astype(np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.float32)
        result = result * columns.astype(np.float64)
    return np.maximum(result, 0) if context.attribute("op_attr_relu_type", 0) else result


@golden("A_MULACC_B")
def accumulated_product(context: GoldenContext, left: Array, right: Array, accumulator: Array) -> Any:
    return accumulator + product(context, left, right)
