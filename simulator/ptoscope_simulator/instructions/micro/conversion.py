"""Conversions between element types within registers.

Where the width changes, only every second (fourth) narrow lane takes part: attribute `part` says which.
"""

from __future__ import annotations

import numpy as np

from ..convert import convert
from ..numeric import number, wide
from ..registry import Array, Context, instruction
from .lanes import Predicate, lane_mask, masked, part


def _narrowed(context: Context, value: Array, mask: Predicate, old: Array | None) -> Array:
    """`value` in every n-th lane of the result from `part` on; the other lanes are zero, or `old` when merging."""
    lanes = context.outputs[0].valid[-1]
    step, first = lanes // value.size, part(context.attributes.get("part"))
    keeps = old is not None and context.attributes.get("merging")
    result = np.array(old) if keeps else np.zeros(lanes, value.dtype)
    active = lane_mask(mask, value.size, first)
    result[first::step] = np.where(active, value, result[first::step])
    return result


@instruction("VCVT")
def convert_lanes(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
    """Attributes `round` (default CAST_RINT) and `saturate` as for TCVT, `part` where the width changes."""
    lanes = context.outputs[0].valid[-1]
    if lanes <= value.size:
        first = part(context.attributes.get("part"))
        chosen = value[first :: value.size // lanes]
        return masked(context, convert(context, chosen, "CAST_RINT"), lane_mask(mask, lanes, first), old)
    return _narrowed(context, convert(context, value, "CAST_RINT"), mask, old)


@instruction("VMULSCVT")
def multiply_convert(context: Context, value: Array, scalar: float, mask: Predicate, old: Array | None = None) -> Array:
    """value * scalar from float32 to float16, in the lanes of `part`."""
    product = wide(value) * number(scalar, wide(value))
    return _narrowed(context, context.round(0, product), mask, old)


@instruction("VBITCAST")
def reinterpret(context: Context, value: Array) -> Array:
    """The same bits under another element type."""
    view = context.outputs[0]
    return value if context.exact and view.dtype.is_float else value.view(view.numpy)
