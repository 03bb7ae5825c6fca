"""Element-wise arithmetic, reductions, broadcasts and matrix products against numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from harness import like, run, tile
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from ptoscope_compiler.dtype import BF16, BOOL, BY_NAME, FP16, FP32, INT32, UINT8
from ptoscope_simulator.instructions.registry import UnknownInstruction, semantics

_INTS = hnp.arrays(np.int32, (3, 4), elements=st.integers(-(2**31), 2**31 - 1))
_SMALL = hnp.arrays(np.float16, (4, 6), elements=st.floats(-100, 100, width=16))


@given(_INTS, _INTS)
def test_integers_wrap(left: Any, right: Any) -> None:
    for opcode, function in (("TADD", int.__add__), ("TSUB", int.__sub__), ("TMUL", int.__mul__)):
        exact = [function(a, b) for a, b in zip(left.ravel().tolist(), right.ravel().tolist(), strict=True)]
        wrapped = [(value + 2**31) % 2**32 - 2**31 for value in exact]
        assert run(opcode, like(left), left, right).ravel().tolist() == wrapped


@given(_INTS, _INTS)
def test_integer_quotients_go_toward_zero_and_remainders_follow_c_or_python(left: Any, right: Any) -> None:
    right = np.where(right == 0, 7, right).astype(np.int32)
    pairs = list(zip(left.ravel().tolist(), right.ravel().tolist(), strict=True))
    toward_zero = [abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in pairs]
    wrapped = [(value + 2**31) % 2**32 - 2**31 for value in toward_zero]
    assert run("TDIV", like(left), left, right).ravel().tolist() == wrapped
    assert run("TREM", like(left), left, right).ravel().tolist() == [a % b for a, b in pairs]
    c_remainders = [a - b * quotient for (a, b), quotient in zip(pairs, toward_zero, strict=True)]
    assert run("TFMOD", like(left), left, right).ravel().tolist() == c_remainders


@given(_SMALL, _SMALL)
def test_float16_rounds_once(left: Any, right: Any) -> None:
    exact = left.astype(np.float64) * right.astype(np.float64)
    assert (run("TMUL", like(left), left, right) == exact.astype(np.float16)).all()


@given(_SMALL)
def test_bfloat16_rounds_once(value: Any) -> None:
    left, right = value.astype(ml_dtypes.bfloat16), (value + 1).astype(ml_dtypes.bfloat16)
    exact = left.astype(np.float64) + right.astype(np.float64)
    assert (run("TADD", like(left), left, right) == exact.astype(np.float32).astype(ml_dtypes.bfloat16)).all()


def test_a_scalar_takes_the_type_of_the_tile() -> None:
    value = np.array([[1, 2]], np.float16)
    assert (run("TADDS", like(value), value, 0.1) == value + np.float16(0.1)).all()
    brain = value.astype(ml_dtypes.bfloat16)
    assert run("TMULS", like(brain), brain, 0.1).dtype == brain.dtype
    bytes_ = np.array([[250]], np.uint8)
    assert run("TADDS", like(bytes_), bytes_, 300).tolist() == [[(250 + 300) % 256]]
    assert run("TDIVS", like(value), 7.0, value).tolist() == [[7, 3.5]]


@given(hnp.arrays(np.float32, (5, 7), elements=st.floats(-1e3, 1e3, width=32)))
def test_reductions_are_within_the_rounding_of_their_additions(value: Any) -> None:
    exact = value.astype(np.float64)
    rows = run("TROWSUM", tile(FP32, (5, 1)), value)
    assert (np.abs(rows - exact.sum(-1, keepdims=True)) <= 7 * 2.0**-24 * np.abs(exact).sum(-1, keepdims=True)).all()
    columns = run("TCOLSUM", tile(FP32, (1, 7)), value)
    assert (np.abs(columns - exact.sum(0)) <= 5 * 2.0**-24 * np.abs(exact).sum(0)).all()
    assert (run("TROWMAX", tile(FP32, (5, 1)), value) == value.max(-1, keepdims=True)).all()
    assert (run("TCOLMIN", tile(FP32, (1, 7)), value) == value.min(0, keepdims=True)).all()
    assert (run("TROWARGMAX", tile(INT32, (5, 1)), value)[:, 0] == value.argmax(-1)).all()


def test_a_row_of_float16_accumulates_in_float32_and_a_column_in_float16() -> None:
    value = np.full((1, 4096), 1, np.float16)
    assert run("TROWSUM", tile(FP16, (1, 1)), value).tolist() == [[4096]]
    assert run("TCOLSUM", tile(FP16, (1, 1)), value.T.copy()).tolist() == [[2048]]
    columns = np.full((3, 4096), 1, np.float16).T
    assert run("TCOLSUM", tile(FP16, (1, 3)), columns).tolist() == [[2048] * 3]
    brain = columns.astype(ml_dtypes.bfloat16)
    assert run("TCOLSUM", tile(BF16, (1, 3)), brain).tolist() == [[256] * 3]


def test_an_axis_may_be_named() -> None:
    value = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert (run("TCOLSUM", tile(FP32, (1, 3, 4)), value, axis=-3) == value.sum(0, keepdims=True)).all()
    assert run("TCONCAT", tile(FP32, (4, 3, 4)), value, value, axis=0).shape == (4, 3, 4)


def test_nan_wins_maxima() -> None:
    value = np.array([[1, np.nan, 3]], np.float32)
    assert np.isnan(run("TROWMAX", tile(FP32, (1, 1)), value)).all()
    assert np.isnan(run("TMAX", like(value), value, np.zeros_like(value)))[0, 1]


def test_broadcasts_repeat_a_column_or_a_row() -> None:
    value = np.arange(12, dtype=np.float32).reshape(3, 4)
    column, row = value[:, :1].copy(), value[:1].copy()
    assert (run("TROWEXPANDSUB", like(value), value, column) == value - column).all()
    assert (run("TCOLEXPANDMUL", like(value), value, row) == value * row).all()
    assert (run("TROWEXPAND", like(value), column) == np.repeat(column, 4, 1)).all()
    block = np.arange(24, dtype=np.float32).reshape(3, 8)
    wide = np.zeros((3, 20), np.float32)
    assert (run("TROWEXPANDADD", like(wide), wide, block) == block[:, np.arange(20) % 8]).all()


@given(st.integers(1, 5), st.integers(1, 40), st.integers(1, 5), st.integers(0, 9))
def test_matrix_products_accumulate_in_float32(rows: int, depth: int, columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    left = random.standard_normal((rows, depth)).astype(np.float16)
    right = random.standard_normal((depth, columns)).astype(np.float16)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    size = np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)
    got = run("TMATMUL", tile(FP32, (rows, columns)), left, right)
    assert (np.abs(got - exact) <= depth * 2.0**-24 * size + 1e-30).all()
    total = run("TMATMUL_ACC", tile(FP32, (rows, columns)), got, left, right)
    assert np.allclose(total, 2 * exact, rtol=1e-5, atol=1e-5)


def test_int8_products_are_exact() -> None:
    left = np.full((1, 4095), -128, np.int8)
    right = np.full((4095, 1), -127, np.int8)
    assert run("TMATMUL", tile(INT32, (1, 1)), left, right).tolist() == [[4095 * 128 * 127]]


def test_a_micro_scaled_product_multiplies_groups_by_powers_of_two() -> None:
    e4m3, e8m0 = (getattr(ml_dtypes, name) for name in ("float8_e4m3fn", "float8_e8m0fnu"))
    left, right = np.ones((1, 64), e4m3), np.ones((64, 1), e4m3)
    scales = np.array([[2, 0.5]], e8m0)
    views = (None, None, None, None)
    got = run("TMATMUL_MX", tile(FP32, (1, 1)), left, scales, right, np.ones((2, 1), e8m0), views=views, arch="3510")
    assert got.tolist() == [[32 * 2 + 32 * 0.5]]


@pytest.mark.parametrize("opcode", ["TADD", "TMUL", "TDIV"])
def test_an_exact_run_keeps_float64(opcode: str) -> None:
    value = np.array([[1 / 3]], np.float64)
    got = run(opcode, tile(FP16, (1, 1)), value, value, exact=True)
    assert got.dtype == np.float64
    assert got[0, 0] == {"TADD": 2 / 3, "TMUL": (1 / 3) * (1 / 3), "TDIV": 1.0}[opcode]


def test_an_exact_run_does_not_round_products_or_sums() -> None:
    value = np.full((1, 4096), 0.1)
    assert run("TROWSUM", tile(FP16, (1, 1)), value, exact=True)[0, 0] == pytest.approx(409.6, rel=1e-15)
    assert run("TMATMUL", tile(FP32, (1, 1)), value, value.T, exact=True)[0, 0] == pytest.approx(40.96, rel=1e-14)
    assert run("TEXPANDS", tile(FP16, (1, 1)), 0.1, exact=True)[0, 0] == 0.1
    assert run("TEXP", tile(FP16, (1, 1)), value[:, :1], exact=True)[0, 0] == np.exp(0.1)


def test_comparisons_pack_bits_or_fill_a_boolean_tile() -> None:
    left, right = np.arange(20, dtype=np.float32).reshape(2, 10), np.full((2, 10), 4.5, np.float32)
    bits = run("TCMP", tile(UINT8, (2, 32)), left, right, compare="LT")
    assert bits.tolist() == [[0b00011111, 0], [0, 0]]
    plain = run("TCMPS", tile(BOOL, (2, 10)), left, 4.5, compare="lt")
    assert (plain == (left < 4.5)).all()
    views = (tile(UINT8, (2, 2)), like(left), like(right))
    assert (run("TSEL", like(left), bits, left, right, views=views) == np.where(left < 4.5, left, right)).all()
    assert (run("TSELS", like(left), plain, -1.0, left) == np.where(left < 4.5, -1, left)).all()


def test_int32_compares_for_equality_on_a2a3_whatever_the_mode() -> None:
    left, right = np.array([[1, 2]], np.int32), np.array([[2, 2]], np.int32)
    assert run("TCMP", tile(BOOL, (1, 2)), left, right, compare="LT").tolist() == [[False, True]]
    assert run("TCMP", tile(BOOL, (1, 2)), left, right, compare="LT", arch="3510").tolist() == [[True, False]]


def test_partial_instructions_copy_where_only_one_operand_is_valid() -> None:
    left, right = np.full((2, 3), 5, np.float32), np.full((3, 2), 7, np.float32)
    got = run("TPARTADD", tile(FP32, (3, 3)), left, right)
    assert got.tolist() == [[12, 12, 5], [12, 12, 5], [7, 7, 0]]


def test_powers_of_integers_wrap_and_negative_exponents_give_zero() -> None:
    base, exponent = np.array([[3, 2, -1, 1]], np.int32), np.array([[21, -1, -3, -9]], np.int32)
    assert run("TPOW", like(base), base, exponent).tolist() == [[(3**21 + 2**31) % 2**32 - 2**31, 0, -1, 1]]


def test_a_float16_product_into_float32_is_exact_except_on_the_cpu() -> None:
    source, total = np.array([[1 + 2**-10]], np.float16), np.array([[0]], np.float32)
    exact = float(source[0, 0]) * float(source[0, 0])
    assert run("TAXPY", like(total), source, float(source[0, 0]), total)[0, 0] == np.float32(exact)
    assert run("TAXPY", like(total), source, float(source[0, 0]), total, arch="cpu")[0, 0] == np.float16(exact)


def test_an_unknown_instruction_is_named_with_its_neighbour() -> None:
    with pytest.raises(UnknownInstruction, match="TADDD; did you mean TADD"):
        semantics("TADDD")


def test_quantisation_and_back() -> None:
    value = np.array([[1.26, -3.0, 500.0]], np.float32)
    scale, zero = np.array([[2.0]], np.float32), np.array([[0.0]], np.float32)
    codes = run("TQUANT", tile(BY_NAME["DT_INT8"], (1, 3)), value, scale, quant="INT8_SYM")
    assert codes.tolist() == [[3, -6, 127]]
    back = run("TDEQUANT", like(value), codes, 1 / scale, zero)
    assert back.tolist() == [[1.5, -3, 63.5]]
