"""TQUANT and TDEQUANT: to 8-bit integers with a multiplier per row, and to micro-scaled (MX) types.

MX (PTO-ISA `include/pto/cpu/TQuant.hpp`): each group of 32 elements shares a power-of-two scale, kept as a biased
exponent (E8M0). "OCP" takes the exponent of the largest magnitude less that of the type; "NV" the next power of two at
or above the largest magnitude over the type's largest value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .numeric import wide
from .registry import Array, Context, instruction

_GROUP = 32
_NAN_EXPONENT, _INFINITE_EXPONENT = 0xFF, 0xFE
_ENCODED_NAN_E2M1 = 7

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Format:
    """A micro-scaled element type: `emax` its largest exponent, `largest` its largest value."""

    emax: int
    largest: float


_MXFP8 = _Format(8, 448.0)
_MXFP4 = _Format(2, 6.0)


@instruction("TQUANT")
def quantise(context: Context, source: Array, scale: Array | None = None, offset: Array | None = None) -> Any:
    """Attribute `quant`: "INT8_SYM" (inputs source and multiplier), "INT8_ASYM" (and offset), "MXFP8", "MXFP4_E2M1"
    (attribute `scale` "OCP" or "NV"; outputs data, exponents and, if wanted, largest magnitudes and scaling factors;
    attribute `axis` -2 groups along rows)."""
    kind = str(context.attributes["quant"]).upper()
    if kind.startswith("INT8"):
        assert scale is not None
        return _to_int8(context, source, scale, offset)
    return _to_mx(context, source, kind == "MXFP8")


def _parameter(value: Array, source: Array) -> Array:
    """A parameter tile against every element; its last row and column repeat."""
    rows, columns = source.shape[-2:]
    down = np.minimum(np.arange(rows), value.shape[-2] - 1)
    across = np.minimum(np.arange(columns), value.shape[-1] - 1)
    return np.asarray(value[..., down[:, None], across])


def _to_int8(context: Context, source: Array, scale: Array, offset: Array | None) -> Array:
    """On A2/A3 the scaled value is rounded to float16 on the way."""
    scaled = source * _parameter(scale, source)
    if offset is not None:
        scaled = scaled + _parameter(offset, source)
    if context.target.arch == "2201" and not context.exact:
        scaled = scaled.astype(np.float16).astype(np.float32)
    low, high = (0, 255) if context.outputs[0].dtype.name == "DT_UINT8" else (-128, 127)
    rounded: Array = np.nan_to_num(np.rint(scaled), nan=0.0)
    return rounded.clip(low, high).astype(context.outputs[0].numpy)


def largest_magnitude(groups: Floats, truncated: bool) -> Floats:
    """Per group (last axis); `truncated` compares magnitudes cut to bfloat16, and NaN is then the largest."""
    magnitudes = np.abs(groups)
    if truncated:
        # Bits order as magnitudes do, and NaN above infinity.
        compared = magnitudes.view(np.uint32) & np.uint32(0xFFFF0000)
        largest: Floats = compared.max(axis=-1).view(np.float32)
        return largest
    return np.asarray(np.where(np.isnan(magnitudes), np.float32(0), magnitudes).max(axis=-1))


def shared_exponent(largest: Floats, form: _Format, nv: bool) -> Bytes:
    """The biased exponent that a group shares."""
    value = largest * np.float32(1.0 / form.largest) if nv else largest
    bits = value.view(np.uint32)
    exponent = ((bits >> 23) & 0xFF).astype(np.int64)
    mantissa = bits & 0x7FFFFF
    if nv:
        grows = (mantissa > 0) & (exponent != _INFINITE_EXPONENT) & ~((exponent == 0) & (mantissa <= 0x400000))
        special = np.where(mantissa == 0, _INFINITE_EXPONENT, _NAN_EXPONENT)
        result = np.where(exponent == 0xFF, special, exponent + grows)
        result = np.where(largest == 0, 0, result)
    else:
        result = np.where((exponent == 0xFF) & (mantissa != 0), _NAN_EXPONENT, np.maximum(exponent - form.emax, 0))
    return result.astype(np.uint8)


def scaling_factor(exponent: Bytes, largest: Floats) -> Floats:
    """2^(127 - exponent); the largest magnitude itself (a NaN) where the exponent says NaN."""
    power = np.ldexp(np.float32(1), 127 - exponent.astype(np.int32)).astype(np.float32)
    factor: Floats = np.where(exponent == _NAN_EXPONENT, largest, power)
    return factor


def _encode_e4m3(value: Floats, nv: bool) -> Bytes:
    """Nearest code, clamped to 448; a negative value that rounds to zero keeps its sign only under NV."""
    codes = np.clip(value, -448.0, 448.0).astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    codes = np.where(np.isnan(value), np.uint8(0x7F), codes)
    return codes if nv else np.where(codes == 0x80, np.uint8(0), codes)


def _encode_e2m1(value: Floats, factor: Floats) -> Bytes:
    """Nearest code, clamped to 6. A NaN, or a group whose factor is no number, becomes the largest value."""
    codes = np.clip(value, -6.0, 6.0).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    return np.where(np.isnan(value) | ~np.isfinite(factor), np.uint8(_ENCODED_NAN_E2M1), codes)


def _to_mx(context: Context, source: Array, eight_bits: bool) -> tuple[Array, ...]:
    form = _MXFP8 if eight_bits else _MXFP4
    nv = str(context.attributes.get("scale", "OCP")).upper() == "NV"
    along_rows = context.attributes.get("axis") in (0, -2)
    laid = wide(source).astype(np.float32)
    laid = laid.swapaxes(-1, -2) if along_rows else laid
    groups = laid.reshape(*laid.shape[:-1], -1, _GROUP)
    largest = largest_magnitude(groups, truncated=not eight_bits and not nv)
    if not eight_bits and nv:
        largest = np.where(np.isnan(groups).any(axis=-1), np.float32(np.nan), largest)
    exponent = shared_exponent(largest, form, nv)
    factor = scaling_factor(exponent, largest)
    scaled = groups * factor[..., None]
    if not eight_bits and source.dtype == np.dtype(ml_dtypes.bfloat16):
        scaled = scaled.astype(ml_dtypes.bfloat16).astype(np.float32)
    codes = _encode_e4m3(scaled, nv) if eight_bits else _encode_e2m1(scaled, factor[..., None])
    data = codes.reshape(laid.shape).swapaxes(-1, -2) if along_rows else codes.reshape(laid.shape)
    exponents = exponent.swapaxes(-1, -2) if along_rows else exponent
    wanted = zip(context.outputs[2:], (largest, factor), strict=False)
    extra = tuple(value.reshape(1, -1).astype(view.numpy) for view, value in wanted)
    return data.view(context.outputs[0].numpy), exponents.view(context.outputs[1].numpy), *extra


@instruction("TDEQUANT")
def dequantise(context: Context, source: Array, scale: Array, offset: Array) -> Array:
    """(source - offset) * scale in the output's type, with a parameter per row."""
    dtype = np.dtype(np.float64) if context.exact else context.outputs[0].numpy
    centred = source.astype(dtype) - _parameter(offset, source).astype(dtype)
    return context.round(0, centred * _parameter(scale, source).astype(dtype))
