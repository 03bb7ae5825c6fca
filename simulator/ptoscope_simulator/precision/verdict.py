"""The verdict on one output: PASS, ACCEPTABLE with the reason, SUSPECT or FAIL."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType

from .metrics import Metrics, measure
from .tolerance import Tolerance, derived

Array = NDArray[Any]

_ISOLATED_SHARE, _ISOLATED_EXCESS = 1e-3, 4.0
_SUSPECT_SHARE, _SUSPECT_EXCESS = 0.05, 10.0
_TIE_SHARE = 0.01


class Level(Enum):
    """From right to wrong."""

    PASS = "PASS"
    ACCEPTABLE = "ACCEPTABLE"
    SUSPECT = "SUSPECT"
    FAIL = "FAIL"

    @property
    def is_finding(self) -> bool:
        return self in (Level.SUSPECT, Level.FAIL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the comparison found. `excess` is the worst error over the permitted one, `share` the part beyond it."""

    level: Level
    reason: str
    reason_zh: str
    metrics: Metrics
    tolerance: Tolerance
    excess: float
    share: float


def compare(actual: Array, golden: Array, dtype: DType, depth: int = 1, tolerance: Tolerance | None = None) -> Verdict:
    """Judge `actual` against `golden`, of the same shape, for a tensor of type `dtype` after sums of `depth` terms.

    - PASS: every element is within tolerance.
    - ACCEPTABLE: at most 1 per mille is beyond it, by a factor of four at most (isolated roundings); or integers differ
      by one in at most 1 % (values at a tie).
    - SUSPECT: at most 5 % is beyond it, by a factor of ten at most.
    - FAIL: everything else, and any NaN or infinity that the golden does not have.

    ValueError where the shapes differ.
    """
    if actual.shape != golden.shape:
        raise ValueError(f"the result has shape {list(actual.shape)}, the golden {list(golden.shape)}")
    ideal = golden.astype(np.float64)
    limits = tolerance or derived(dtype, depth, ideal)
    with np.errstate(all="ignore"):
        permitted = limits.at(ideal)
        metrics = measure(actual, golden, dtype, permitted)
        error = np.abs(actual.astype(np.float64) - ideal)
        finite = np.isfinite(error)
        beyond = finite & (error > permitted)
        share = float(beyond.sum() + metrics.not_finite_mismatches) / max(error.size, 1)
        ratios = error[beyond] / np.maximum(permitted[beyond], np.finfo(np.float64).tiny)
    excess = float("inf") if metrics.not_finite_mismatches else float(ratios.max(initial=0.0))
    level, reason, reason_zh = _level(dtype, metrics, excess, share, beyond)
    return Verdict(level, reason, reason_zh, metrics, limits, excess, share)


def _level(dtype: DType, metrics: Metrics, excess: float, share: float, beyond: Array) -> tuple[Level, str, str]:
    if share == 0.0:
        return Level.PASS, "every element is within tolerance", "所有元素都在容差之内"
    if metrics.not_finite_mismatches:
        count = metrics.not_finite_mismatches
        return (
            Level.FAIL,
            f"{count} elements are NaN or infinite on one side only",
            f"{count} 个元素仅在一侧为 NaN 或无穷",
        )
    count = int(beyond.sum())
    if not dtype.is_float:
        if metrics.max_absolute <= 1 and share <= _TIE_SHARE:
            return Level.ACCEPTABLE, f"{count} elements differ by one, at a rounding tie", f"{count} 个元素因舍入相差 1"
        return Level.FAIL, f"{count} elements differ", f"{count} 个元素不相等"
    if share <= _ISOLATED_SHARE and excess <= _ISOLATED_EXCESS:
        return (
            Level.ACCEPTABLE,
            f"{count} elements are beyond tolerance, by {excess:.1f} times at most: isolated roundings",
            f"{count} 个元素超出容差，最多 {excess:.1f} 倍：孤立的舍入误差",
        )
    level = Level.SUSPECT if share <= _SUSPECT_SHARE and excess <= _SUSPECT_EXCESS else Level.FAIL
    return (
        level,
        f"{share:.2%} of the elements are beyond tolerance, by {excess:.3g} times at most",
        f"{share:.2%} 的元素超出容差，最多 {excess:.3g} 倍",
    )
