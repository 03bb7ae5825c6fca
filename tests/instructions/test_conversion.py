"""TCVT against numpy, ml_dtypes and exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from harness import like, run, tile
from hypothesis import given
from hypothesis import strategies as st
from ptoscope_compiler.dtype import BF16, BOOL, BY_NAME, FP16, FP32, INT8, INT16, INT32, INT64, UINT8

_FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
_NUMPY: dict[Any, Any] = {FP16: np.float16, BF16: ml_dtypes.bfloat16, INT8: np.int8, UINT8: np.uint8, INT16: np.int16}


def _convert(values: Any, target: Any, **attributes: Any) -> Any:
    source = np.atleast_1d(values)
    return run("TCVT", tile(target, source.shape), source, **attributes)


@given(st.lists(_FLOATS, min_size=1, max_size=20), st.sampled_from([FP16, BF16]))
def test_nearest_even_is_that_of_numpy(values: list[float], target: Any) -> None:
    source = np.array(values, np.float32)
    with np.errstate(over="ignore"):
        expected = source.astype(_NUMPY[target])
    assert (_convert(source, target, round="CAST_RINT") == expected).all()
    assert (_convert(source, target) == expected).all()


@given(
    st.floats(min_value=-60000, max_value=60000, width=32),
    st.sampled_from([FP16, BF16]),
    st.sampled_from(["FLOOR", "CEIL", "TRUNC", "ROUND"]),
)
def test_a_directed_mode_takes_the_neighbour_on_its_side(value: float, target: Any, mode: str) -> None:
    got = Fraction(float(_convert(np.float32(value), target, round=f"CAST_{mode}")[0]))
    exact = Fraction(value)
    nearest = Fraction(float(np.float32(value).astype(_NUMPY[target])))
    if mode == "FLOOR":
        assert got <= exact
    elif mode == "CEIL":
        assert got >= exact
    elif mode == "TRUNC":
        assert abs(got) <= abs(exact)
    else:
        assert abs(got - exact) == abs(nearest - exact)
        assert abs(got) >= abs(nearest)
    step = abs(Fraction(float(np.spacing(np.float32(value).astype(_NUMPY[target])))))
    assert abs(got - exact) < step or got == exact


@given(st.floats(min_value=-60000, max_value=60000, width=32))
def test_odd_rounding_to_float16_sets_the_last_bit_of_what_is_inexact(value: float) -> None:
    got = _convert(np.float32(value), FP16, round="CAST_ODD")
    exact = np.float32(value).astype(np.float16).astype(np.float32) == np.float32(value)
    if exact:
        assert got[0] == np.float32(value)
    else:
        assert got.view(np.uint16)[0] % 2 == 1


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("RINT", [-2, -2, 0, 0, 2, 2, 3]),
        ("ROUND", [-3, -2, -1, 1, 2, 3, 3]),
        ("FLOOR", [-3, -2, -1, 0, 1, 2, 2]),
        ("CEIL", [-2, -1, 0, 1, 2, 3, 3]),
        ("TRUNC", [-2, -1, 0, 0, 1, 2, 2]),
        ("NONE", [-2, -1, 0, 0, 1, 2, 2]),
    ],
)
def test_round_modes_to_integers(mode: str, expected: list[int]) -> None:
    values = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.75], np.float32)
    assert _convert(values, INT32, round=f"CAST_{mode}").tolist() == expected


def test_saturation_clamps_and_its_absence_keeps_the_low_bits() -> None:
    values = np.array([300.0, -300.0, np.inf, -np.inf, np.nan], np.float16)
    assert _convert(values, INT8, saturate=True).tolist() == [127, -128, 127, -128, 0]
    assert _convert(values, INT8, saturate=False).tolist() == [300 - 256, 256 - 300, -1, 0, 0]
    assert _convert(values, UINT8, saturate=True).tolist() == [255, 0, 255, 0, 0]


def test_the_default_of_saturation_depends_on_the_pair() -> None:
    assert _convert(np.array([300.0], np.float16), INT8).tolist() == [44]
    assert _convert(np.array([3e9], np.float32), INT32).tolist() == [2**31 - 1]
    assert _convert(np.array([70000], np.int32), INT16).tolist() == [70000 - 65536]


def test_int64_saturates_at_its_ends() -> None:
    values = np.array([1e19, -1e19, 2.0**62, np.nan], np.float32)
    assert _convert(values, INT64).tolist() == [2**63 - 1, -(2**63), 2**62, 0]


def test_overflow_to_float16_is_infinite_on_a2a3_and_saturates_on_the_950_if_asked() -> None:
    value = np.array([1e6, -1e6], np.float32)
    assert np.isinf(_convert(value, FP16, saturate=True)).all()
    assert _convert(value, FP16, saturate=True, arch="3510").tolist() == [65504, -65504]
    assert np.isinf(_convert(value, FP16, saturate=False, arch="3510")).all()


def test_rounding_within_float32_gives_integral_values() -> None:
    values = np.array([1.5, -2.5, 2.4], np.float32)
    assert _convert(values, FP32, round="CAST_CEIL").tolist() == [2, -2, 3]
    assert _convert(values, FP32, round="CAST_RINT").tolist() == [2, -2, 2]


def test_float8_saturates_or_becomes_nan() -> None:
    e4m3 = BY_NAME["DT_FP8E4M3"]
    value = np.array([1000.0, 3.3], np.float32)
    assert _convert(value, e4m3, saturate=True, arch="3510").astype(np.float32).tolist() == [448, 3.25]
    assert np.isnan(_convert(value, e4m3, saturate=False, arch="3510").astype(np.float32)[0])


def test_booleans_count_as_zero_and_one() -> None:
    assert _convert(np.array([True, False]), FP16).tolist() == [1, 0]
    assert _convert(np.array([0.0, 2.5], np.float32), BOOL).tolist() == [False, True]


def test_an_exact_run_does_not_round_between_floating_point_types() -> None:
    value = np.array([0.1], np.float64)
    assert run("TCVT", tile(FP16, (1,)), value, exact=True)[0] == 0.1
    assert run("TCVT", tile(INT32, (1,)), np.array([2.7]), exact=True).tolist() == [2]


def test_the_micro_conversion_uses_every_second_lane() -> None:
    from harness import mask, register

    source = np.arange(128, dtype=np.float16)
    active = np.ones(64, bool)
    views = (register(FP16), mask(32))
    odd = run("VCVT", register(FP32), source, active, views=views, arch="3510", part="ODD")
    assert odd.tolist() == list(range(1, 128, 2))
    wide = np.arange(64, dtype=np.float32) + 0.5
    narrow = run("VCVT", register(FP16), wide, active, views=(register(FP32), mask(32)), arch="3510", part="ODD")
    assert narrow[1::2].tolist() == wide.tolist()
    assert not narrow[0::2].any()


def test_widening_is_exact() -> None:
    value = np.arange(-500, 500, dtype=np.int16)
    assert (run("TCVT", tile(INT32, value.shape), value) == value).all()
    halves = np.linspace(-10, 10, 64).astype(np.float16)
    assert (run("TCVT", tile(FP32, halves.shape), halves) == halves.astype(np.float32)).all()
    assert run("TCVT", like(halves), halves, round="CAST_FLOOR").tolist() == np.floor(halves).tolist()


def test_hifloat8_codes_have_the_values_of_the_format() -> None:
    """Examples of the format's definition: one, the largest value, the smallest, and the step that tapers."""
    hifloat8 = BY_NAME["DT_HF8"]
    codes = np.array([0, 0b0001000, 0b0001001, 0b1101110, 0b1101111, 0b0000001, 0b0000111, 0x80, 0b10001000], np.uint8)
    view = tile(hifloat8, codes.shape)
    got = run("TCVT", tile(FP32, codes.shape), codes, views=(view,), arch="3510")
    assert got[:7].tolist() == [0, 1, 1.125, 2.0**15, np.inf, 2.0**-22, 2.0**-16]
    assert np.isnan(got[7])
    assert got[8] == -1


@given(st.floats(-30000, 30000, width=32))
def test_hifloat8_takes_the_nearest_value(value: float) -> None:
    from ptoscope_simulator.instructions.codes import values

    hifloat8 = BY_NAME["DT_HF8"]
    code = _convert(np.float32(value), hifloat8, arch="3510")
    table = values("DT_HF8").astype(np.float64)
    finite = table[np.isfinite(table)]
    assert abs(table[code[0]] - value) == np.abs(finite - value).min()


def test_a_product_of_hifloat8_tiles_multiplies_their_values() -> None:
    hifloat8 = BY_NAME["DT_HF8"]
    left, right = np.full((1, 4), 0b0001001, np.uint8), np.full((4, 1), 0b0001000, np.uint8)
    views = (tile(hifloat8, (1, 4)), tile(hifloat8, (4, 1)))
    assert run("TMATMUL", tile(FP32, (1, 1)), left, right, views=views, arch="3510").tolist() == [[4.5]]
