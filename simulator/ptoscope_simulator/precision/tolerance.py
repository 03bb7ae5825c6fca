"""How far a result may be off, derived from its element type and from how much was accumulated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType

from ..numerics import numpy_dtype

_finfo: Any = ml_dtypes.finfo
_FP32_ROUNDOFF = 2.0**-24
_ULPS_32 = 128
"""A kernel computes in float32 throughout: a chain of intrinsics costs a few ULP per step."""
_ULPS_16 = 2
"""16-bit results are computed in float32 and rounded once, as the target's reductions and matmuls do."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """|actual - golden| may be up to `absolute` + `relative` x |golden|. `origin` says why (English, Chinese)."""

    relative: float
    absolute: float
    origin: str
    origin_zh: str

    def at(self, golden: NDArray[np.float64]) -> NDArray[np.float64]:
        """The permitted error of each element."""
        bound: NDArray[np.float64] = self.absolute + self.relative * np.abs(golden)
        return bound


def given(relative: float | None, absolute: float | None) -> Tolerance:
    """A tolerance that the user chose; what is left out is zero."""
    return Tolerance(relative or 0.0, absolute or 0.0, "given by the user", "由用户指定")


def spacing(dtype: DType) -> float:
    """Distance from one to the next larger number of a floating-point type."""
    if dtype.numpy == "uint8":  # HiFloat8 and packed four-bit types: three bits of mantissa at best
        return 0.125
    return float(_finfo(numpy_dtype(dtype)).eps)


def smallest_normal(dtype: DType) -> float:
    """Below this a floating-point type loses digits."""
    if not dtype.is_float or dtype.numpy == "uint8":
        return 0.0
    return float(_finfo(numpy_dtype(dtype)).smallest_normal)


def derived(dtype: DType, depth: int, golden: NDArray[np.float64]) -> Tolerance:
    """The tolerance for results of type `dtype` after sums of `depth` terms.

    relative = k ULP of the type + 8 x 2^-24 x sqrt(depth), the growth of independent roundings in a float32
    accumulator; absolute = relative x root mean square of the golden, since an element near zero is a difference of
    terms of that size. Integers are exact.
    """
    if not dtype.is_float:
        return Tolerance(0.0, 0.0, f"{dtype.name} is compared exactly", f"{dtype.name} 须完全相等")
    ulps = _ULPS_32 if dtype.bits >= 32 else _ULPS_16
    relative = ulps * spacing(dtype) + 8 * _FP32_ROUNDOFF * math.sqrt(max(depth, 1))
    finite = golden[np.isfinite(golden)]
    scale = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 0.0
    return Tolerance(
        relative,
        relative * scale + smallest_normal(dtype),
        f"{ulps} ULP of {dtype.name}, plus float32 accumulation over {depth} terms",
        f"{dtype.name} 的 {ulps} ULP，加上 {depth} 项 float32 累加的误差",
    )
