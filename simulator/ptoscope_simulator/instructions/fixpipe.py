"""What the fix pipe does to an accumulator on its way out: scale and offset, conversion with saturation, ReLU.

Parameters follow PTO-ISA (`include/pto/common/fixpipe.hpp`, `include/pto/cpu/common.hpp`): 64 bits per tensor or per
column. Per tensor the low 32 bits are an IEEE scale; per column bits 31..13 are a 19-bit scale (1, 8, 10). Bits 45..37
are a 9-bit offset, bit 46 makes an 8-bit result signed, bits 35..32 are the shift less one of int32 to int16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .codes import encoded as encoded_value
from .codes import is_coded
from .numeric import is_float, largest_finite, to_integer
from .registry import Array, Context

_SIGNED = np.uint64(1 << 46)


def encoded(parameter: Any, signed: bool) -> Array:
    """A per-tensor parameter as its 64 bits: a float is a scale, an integer is encoded already; an int8 result is
    signed whatever bit 46 says, as the code generator of Pro mode sets it."""
    if isinstance(parameter, (int, np.integer)):
        bits = np.array(int(parameter) & 0xFFFF_FFFF_FFFF_FFFF, np.uint64)
    else:
        bits = np.array(parameter, np.float32).view(np.uint32).astype(np.uint64)
    return bits | _SIGNED if signed else bits


def _scale(bits: Array, per_column: bool) -> Array:
    low = (bits & np.uint64(0xFFFF_E000 if per_column else 0xFFFF_FFFF)).astype(np.uint32)
    scale: Array = low.view(np.float32)
    return scale


def quantise(context: Context, value: Array, bits: Array, per_column: bool) -> Array:
    """`value` scaled by `bits` in the type of the output."""
    target = context.outputs[0]
    if target.dtype.name == "DT_INT16":
        shift = ((bits >> np.uint64(32)) & np.uint64(15)).astype(np.int64) + 1
        return to_integer((value.astype(np.int64) >> shift).astype(np.float64), target.numpy)
    working = np.float64 if context.exact else np.float32
    scaled = value.astype(working) * _scale(bits, per_column).astype(working)
    if target.dtype.is_float:
        if context.exact or target.dtype.bits == 32 or is_coded(target.dtype):
            return scaled
        largest = largest_finite(target.numpy)
        return np.where(np.isinf(scaled), scaled, np.clip(scaled, -largest, largest)).astype(target.numpy)
    offset = ((bits >> np.uint64(37)) & np.uint64(0x1FF)).astype(np.float64)
    rounded = np.rint(scaled + offset.astype(working))
    signed = (bits & _SIGNED) != 0
    clipped = np.clip(np.nan_to_num(rounded, nan=0.0), np.where(signed, -128, 0), np.where(signed, 127, 255))
    result: Array = clipped.astype(np.int64).astype(target.numpy)
    return result


def leave_accumulator(context: Context, value: Array, columns: Array | None = None) -> Array:
    """Attributes `pre_quant` (per-tensor parameter) and `relu`; `columns` are per-column parameters, 64 bits each."""
    target = context.outputs[0]
    parameter = context.attributes.get("pre_quant")
    if columns is not None:
        value = quantise(context, value, columns.view(np.uint64), True)
    elif parameter is not None:
        value = quantise(context, value, encoded(parameter, target.dtype.name == "DT_INT8"), False)
    if context.attributes.get("relu"):
        value = np.maximum(value, value.dtype.type(0))
    if is_coded(target.dtype) and not context.exact:
        return encoded_value(target.dtype, value)
    if is_float(value) and target.dtype.is_integer:
        return to_integer(np.trunc(value), target.numpy)
    return context.round(0, value)
