"""Element types that neither numpy nor ml_dtypes has: their arrays hold codes, which these tables give a value.

HiFloat8 (Luo et al., "Ascend HiFloat8 Format for Deep Learning"): after the sign a prefix tells how many exponent bits
follow (11: 4, 10: 3, 01: 2, 001: 1, 0001: 0); the exponent is sign and magnitude with a hidden leading one; the rest is
the mantissa. 0000 starts a power of two from 2^-22 to 2^-16, or zero. Conversion rounds ties away from zero.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType

from .registry import Array

Values = NDArray[np.float32]

_HIFLOAT8_NAN = 0x80
_PREFIXES = ((0b11, 5, 4), (0b10, 5, 3), (0b01, 5, 2), (0b001, 4, 1), (0b0001, 3, 0))


def _hifloat8(code: int) -> float:
    sign, payload = (-1.0 if code & 0x80 else 1.0), code & 0x7F
    if payload >> 3 == 0:
        if payload == 0:
            return float("nan") if code == _HIFLOAT8_NAN else 0.0
        return float(sign * 2.0 ** (payload - 23))
    bits, exponent_bits = next((size, width) for prefix, size, width in _PREFIXES if payload >> size == prefix)
    mantissa_bits = bits - exponent_bits
    exponent_field = (payload & ((1 << bits) - 1)) >> mantissa_bits
    mantissa = payload & ((1 << mantissa_bits) - 1)
    exponent = 0
    if exponent_bits:
        negative = exponent_field >> (exponent_bits - 1)
        magnitude = exponent_field | (1 << (exponent_bits - 1))
        exponent = -magnitude if negative else magnitude
    if exponent == 15 and mantissa:
        return sign * float("inf")
    return float(sign * 2.0**exponent * (1 + mantissa / (1 << mantissa_bits)))


def _e1m2(code: int) -> float:
    return (-1.0 if code & 8 else 1.0) * (code & 7) / 4


_DECODERS = {"DT_HF8": (_hifloat8, 256), "DT_FP4_E1M2": (_e1m2, 16)}


@cache
def values(name: str) -> Values:
    """The value of each code of the type called `name`."""
    decode, count = _DECODERS[name]
    return np.array([decode(code) for code in range(count)], np.float32)


@cache
def _ordered(name: str) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Finite values without a sign in ascending order, and their codes."""
    table = values(name)
    codes = np.flatnonzero(np.isfinite(table) & ~np.signbit(table))
    codes = codes[np.argsort(table[codes])]
    return table[codes].astype(np.float64), codes.astype(np.uint8)


def decoded(dtype: DType, array: Array) -> Array:
    """`array` as numbers: codes of a type of this module as float32, anything else as it is."""
    if dtype.name in _DECODERS and array.dtype == np.uint8:
        return values(dtype.name)[array]
    return array


def is_coded(dtype: DType) -> bool:
    """Whether arrays of `dtype` hold codes."""
    return dtype.name in _DECODERS


def encoded(dtype: DType, number: Array) -> Array:
    """The nearest codes of `number`, ties away from zero, clamped to the largest finite value; NaN only in HiFloat8."""
    magnitudes, codes = _ordered(dtype.name)
    size = np.abs(number.astype(np.float64))
    middles = (magnitudes[1:] + magnitudes[:-1]) / 2
    chosen = codes[np.searchsorted(middles, np.nan_to_num(size, nan=0.0), side="right")]
    sign = np.uint8(len(values(dtype.name)) // 2)
    signed = np.where(np.signbit(number) & (chosen != 0), chosen | sign, chosen)
    if dtype.name == "DT_HF8":
        signed = np.where(np.isnan(number), np.uint8(_HIFLOAT8_NAN), signed)
    return signed.astype(np.uint8)
