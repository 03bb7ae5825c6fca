"""TCVT: conversion between element types with a round mode and saturation.

Hardware rules (PTO-ISA `include/pto/npu/{a2a3,a5}/TCvt.hpp`): the round mode also applies between floating-point types.
CAST_NONE, and CAST_ODD other than from float32 to float16, truncate to integers and round to nearest even otherwise.
Float to integer goes through a saturating 32-bit integer, of which the low bits remain when saturation is off; NaN
becomes zero. Saturation of floating-point results exists from the 950 on. The CPU simulator ignores the round mode
between floating-point types and clamps the source, not the result: `arch` "cpu" asks for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .codes import decoded, encoded, is_coded
from .numeric import integer_limits, is_float, largest_finite, narrow, round_mode, to_integer, to_integral, wide
from .registry import Array, Context, OperandView, instruction

# (source, destination) pairs whose saturation is off unless asked for.
_WRAPS_BY_DEFAULT = frozenset(
    {
        ("DT_FP16", "DT_UINT8"),
        ("DT_FP16", "DT_INT8"),
        ("DT_FP32", "DT_INT16"),
        ("DT_FP16", "DT_INT16"),
        ("DT_INT64", "DT_INT32"),
        ("DT_INT32", "DT_INT16"),
    }
)


_TO_NEAREST = frozenset({"RINT", "NONE"})


def _effective_mode(mode: str, source: OperandView, target: OperandView) -> str:
    odd = mode == "ODD" and (source.dtype.name, target.dtype.name) == ("DT_FP32", "DT_FP16")
    if mode not in ("NONE", "ODD") or odd:
        return mode
    return "TRUNC" if source.dtype.is_float and target.dtype.is_integer else "RINT"


def _casts_plainly(context: Context) -> bool:
    """Between two floating-point types without rounding, or to nearest even without saturation."""
    source, target = context.inputs[0], context.outputs[0]
    if source is None or not context.keeps_extent or context.keeps_type or context.target.arch == "cpu":
        return False
    if not (source.dtype.is_float and target.dtype.is_float) or is_coded(source.dtype) or is_coded(target.dtype):
        return False
    mode = _effective_mode(round_mode(context.attributes.get("round") or "CAST_NONE"), source, target)
    if target.dtype.bits >= source.dtype.bits:
        return True
    return source.dtype.bits == 32 and mode in _TO_NEAREST and not _clamps(context, source, target)


@instruction("TCVT", copies=_casts_plainly)
def convert(context: Context, value: Array, default_mode: str = "CAST_NONE") -> Array:
    """Attributes `round` (default CAST_NONE) and `saturate` (bool; default as the hardware has it per pair)."""
    source, target = context.inputs[0], context.outputs[0]
    assert source is not None
    value = decoded(source.dtype, value)
    if is_coded(target.dtype):
        return value if context.exact else encoded(target.dtype, value)
    mode = round_mode(context.attributes.get("round") or default_mode)
    saturate = _saturates(context, source, target)
    if context.target.arch == "cpu":
        return _on_cpu(value, target, mode, saturate)
    if target.dtype.name == "DT_BOOL":
        return value.astype(np.bool_)
    mode = _effective_mode(mode, source, target)
    if target.dtype.is_float:
        return _to_float(context, value, source, target, mode)
    if not source.dtype.is_float:
        return _between_integers(value, target, saturate)
    integral = to_integral(wide(value), mode)
    if saturate or target.dtype.bits >= 32:
        return to_integer(integral, target.numpy)
    return to_integer(integral, np.dtype(np.int32)).astype(target.numpy)


def _saturates(context: Context, source: OperandView, target: OperandView) -> bool:
    saturate = context.attributes.get("saturate")
    return (source.dtype.name, target.dtype.name) not in _WRAPS_BY_DEFAULT if saturate is None else bool(saturate)


def _clamps(context: Context, source: OperandView, target: OperandView) -> bool:
    """Whether a narrower floating-point type saturates; those of 16 bits never do on A2/A3."""
    return _saturates(context, source, target) and (context.target.arch != "2201" or target.dtype.bits < 16)


def _to_float(context: Context, value: Array, source: OperandView, target: OperandView, mode: str) -> Array:
    if not source.dtype.is_float:
        return value.astype(np.float64) if context.exact else value.astype(target.numpy)
    if source.dtype.name == target.dtype.name:
        return context.round(0, to_integral(wide(value), mode))
    if context.exact:
        return value
    if target.dtype.bits >= source.dtype.bits:
        return value.astype(target.numpy)
    return narrow(wide(value), target.numpy, mode, _clamps(context, source, target))


def _between_integers(value: Array, target: OperandView, saturate: bool) -> Array:
    if saturate:
        limits, own = integer_limits(target.numpy), integer_limits(value.dtype)
        value = np.clip(value, max(limits[0], own[0]), min(limits[1], own[1]))
    return value.astype(target.numpy)


def _limits(dtype: np.dtype[Any], floating: bool) -> tuple[float, float]:
    if floating:
        return -largest_finite(dtype), largest_finite(dtype)
    least, most = integer_limits(dtype)
    return float(least), float(most)


def _on_cpu(value: Array, target: OperandView, mode: str, saturate: bool) -> Array:
    floating = is_float(value)
    if saturate:
        low, high = _limits(value.dtype, floating)
        other = _limits(target.numpy, target.dtype.is_float)
        clamped = np.clip(value.astype(np.float64), max(low, other[0]), min(high, other[1]))
        value = np.where(np.isnan(clamped), value.astype(np.float64), clamped).astype(value.dtype)
    if target.dtype.is_float or not floating:
        return value.astype(target.numpy)
    exact = value.astype(np.float64)
    if mode == "ODD":
        low_integer = np.floor(exact)
        tie = exact - low_integer == 0.5
        rounded = np.where(tie, low_integer + (np.mod(low_integer, 2) == 0), np.rint(exact))
    else:
        rounded = to_integral(exact, mode)
    return rounded.astype(np.int64).astype(target.numpy)
