"""The numbers that say how two arrays differ, under the names that users of the official tools know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType

from ..numerics import numpy_dtype

Array = NDArray[Any]
Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Differences of a result from its golden over `elements` elements.

    Elements that are NaN or infinite on either side count in `not_finite` only; those that are not the same on both
    sides in `not_finite_mismatches` too. `above_1_permille` and `above_5_permille` are the shares of elements whose
    relative error exceeds that. `max_ulp` counts representable numbers between the two; None for integers.
    """

    elements: int
    max_absolute: float
    max_relative: float
    mean_absolute: float
    rmse: float
    cosine: float
    max_ulp: float | None
    above_1_permille: float
    above_5_permille: float
    not_finite: int
    not_finite_mismatches: int
    worst: Index | None
    first: Index | None


def measure(actual: Array, golden: Array, dtype: DType, permitted: Array) -> Metrics:
    """Compare two arrays of one shape; `first` is the first element that is off by more than `permitted`."""
    real, ideal = actual.astype(np.float64), golden.astype(np.float64)
    finite = np.isfinite(real) & np.isfinite(ideal)
    same = (real == ideal) | (np.isnan(real) & np.isnan(ideal))
    error = np.where(finite, np.abs(np.where(finite, real, 0) - np.where(finite, ideal, 0)), 0.0)
    magnitude = np.where(finite, np.abs(ideal), 0.0)
    relative = np.divide(error, magnitude, out=np.where(error > 0, np.inf, 0.0), where=magnitude > 0)
    departs = np.where(finite, error > permitted, ~same)
    count = max(real.size, 1)
    return Metrics(
        elements=real.size,
        max_absolute=float(error.max(initial=0.0)),
        max_relative=float(relative.max(initial=0.0)),
        mean_absolute=float(error.sum() / count),
        rmse=float(np.sqrt(np.square(error).sum() / count)),
        cosine=_cosine(real[finite], ideal[finite]),
        max_ulp=_ulps(real, ideal, dtype, finite),
        above_1_permille=float((relative > 1e-3).sum() / count),
        above_5_permille=float((relative > 5e-3).sum() / count),
        not_finite=int((~finite).sum()),
        not_finite_mismatches=int((~finite & ~same).sum()),
        worst=_worst(error, permitted, finite, same),
        first=_first(departs),
    )


def _cosine(real: Array, ideal: Array) -> float:
    scale = float(np.linalg.norm(real)) * float(np.linalg.norm(ideal))
    if scale == 0.0:
        return 1.0 if np.array_equal(real, ideal) else 0.0
    return float(np.clip(np.dot(real, ideal) / scale, -1.0, 1.0))


def _ulps(real: Array, ideal: Array, dtype: DType, finite: Array) -> float | None:
    if not dtype.is_float or dtype.numpy == "uint8":
        return None
    stored = np.abs(ideal[finite]).astype(numpy_dtype(dtype))
    step = (np.nextafter(stored, stored.dtype.type(np.inf)) - stored).astype(np.float64)
    known = np.isfinite(step) & (step > 0)
    off = np.abs(real[finite] - ideal[finite])[known] / step[known]
    return float(off.max(initial=0.0))


def _worst(error: Array, permitted: Array, finite: Array, same: Array) -> Index | None:
    """The element furthest beyond what is permitted; one that is NaN or infinite on one side only comes first."""
    if not error.size:
        return None
    mismatch = ~finite & ~same
    if mismatch.any():
        return _first(mismatch)
    allowed = np.broadcast_to(permitted, error.shape)
    excess = np.divide(error, allowed, out=np.where(error > 0, np.inf, 0.0), where=allowed > 0)
    if np.isinf(excess).any():
        excess = error
    return tuple(int(i) for i in np.unravel_index(int(excess.argmax()), error.shape))


def _first(chosen: Array) -> Index | None:
    if not chosen.any():
        return None
    return tuple(int(i) for i in np.unravel_index(int(chosen.argmax()), chosen.shape))
