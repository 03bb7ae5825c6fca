"""Verdicts, metrics and tolerances on arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ptoscope_compiler.dtype import BF16, FP16, FP32, INT8, INT32
from ptoscope_simulator.numerics import numpy_dtype
from ptoscope_simulator.precision.tolerance import derived, given
from ptoscope_simulator.precision.verdict import Level, compare

GOLDEN = np.random.default_rng(0).standard_normal((64, 64)) + 4.0


@pytest.mark.parametrize("dtype", [FP32, FP16, BF16])
def test_a_rounded_golden_passes(dtype) -> None:
    verdict = compare(GOLDEN.astype(numpy_dtype(dtype)), GOLDEN, dtype)
    assert verdict.level is Level.PASS
    assert verdict.metrics.max_ulp <= 0.5
    assert verdict.metrics.cosine == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize(
    ("share", "factor", "level"),
    [(0.0005, 3.0, Level.ACCEPTABLE), (0.02, 8.0, Level.SUSPECT), (0.2, 8.0, Level.FAIL), (0.0005, 50.0, Level.FAIL)],
)
def test_the_level_follows_how_many_are_off_and_by_how_much(share: float, factor: float, level: Level) -> None:
    actual = GOLDEN.copy()
    limits = derived(FP32, 1, GOLDEN)
    count = int(share * actual.size)
    flat = actual.reshape(-1)
    flat[:count] += factor * limits.at(GOLDEN).reshape(-1)[:count]
    verdict = compare(actual, GOLDEN, FP32)
    assert verdict.level is level
    assert verdict.share == pytest.approx(count / actual.size)
    assert verdict.excess == pytest.approx(factor, rel=1e-3)


def test_a_nan_of_its_own_fails_and_a_shared_one_does_not() -> None:
    golden, actual = GOLDEN.copy(), GOLDEN.copy()
    golden[3, 4] = actual[3, 4] = np.nan
    assert compare(actual, golden, FP32).level is Level.PASS
    actual[5, 6] = np.inf
    verdict = compare(actual, golden, FP32)
    assert verdict.level is Level.FAIL
    assert verdict.metrics.worst == (5, 6)
    assert (verdict.metrics.not_finite, verdict.metrics.not_finite_mismatches) == (2, 1)


def test_integers_are_exact_but_for_rounding_ties() -> None:
    golden = np.arange(1000)
    assert compare(golden.astype(np.int32), golden, INT32).level is Level.PASS
    tie = golden.copy()
    tie[7] += 1
    assert compare(tie, golden, INT8).level is Level.ACCEPTABLE
    tie[7] += 1
    assert compare(tie, golden, INT8).level is Level.FAIL


def test_metrics_by_hand() -> None:
    actual, golden = np.array([[1.0, 2.02], [4.0, 0.0]]), np.array([[1.0, 2.0], [4.0, 0.0]])
    metrics = compare(actual, golden, FP32).metrics
    assert metrics.max_absolute == pytest.approx(0.02)
    assert metrics.max_relative == pytest.approx(0.01)
    assert metrics.rmse == pytest.approx(0.01)
    assert metrics.mean_absolute == pytest.approx(0.005)
    assert (metrics.above_1_permille, metrics.above_5_permille) == (0.25, 0.25)
    assert (metrics.worst, metrics.first) == ((0, 1), (0, 1))
    assert metrics.max_ulp == pytest.approx(0.02 / 2**-22, rel=1e-6)


def test_the_tolerance_grows_with_the_depth_and_says_so() -> None:
    shallow, deep = derived(FP32, 1, GOLDEN), derived(FP32, 4096, GOLDEN)
    assert deep.relative - shallow.relative == pytest.approx(8 * 2.0**-24 * (math.sqrt(4096) - 1))
    assert "4096 terms" in deep.origin
    assert derived(BF16, 1, GOLDEN).relative > derived(FP16, 1, GOLDEN).relative > shallow.relative


def test_a_given_tolerance_is_taken_as_it_is() -> None:
    verdict = compare(GOLDEN + 0.5, GOLDEN, FP32, tolerance=given(None, 0.6))
    assert verdict.level is Level.PASS
    assert verdict.tolerance.origin == "given by the user"


def test_an_empty_output_passes_and_shapes_must_agree() -> None:
    assert compare(np.zeros((0, 4)), np.zeros((0, 4)), FP32).level is Level.PASS
    with pytest.raises(ValueError, match=r"shape \[2\], the golden \[3\]"):
        compare(np.zeros(2), np.zeros(3), FP32)
