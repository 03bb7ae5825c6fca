"""Loads, stores, moves, gathers, scatters and sorts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import like, run, tile, window
from hypothesis import given
from hypothesis import strategies as st
from ptoscope_compiler.dtype import BY_NAME, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16
from ptoscope_compiler.hardware import Layout, MemorySpace


def test_a_load_takes_the_valid_part_of_a_larger_window() -> None:
    data = np.arange(60, dtype=np.float32).reshape(6, 10)
    got = run("TLOAD", tile(FP32, (8, 16), (4, 7)), data, views=(window(FP32, (6, 10)),))
    assert (got == data[:4, :7]).all()
    assert np.shares_memory(got, data)


def test_windows_of_five_axes_become_rows_and_columns() -> None:
    data = np.arange(2 * 3 * 4 * 8, dtype=np.float32).reshape(1, 2, 3, 4, 8)
    rows = run("TLOAD", tile(FP32, (24, 8)), data, views=(window(FP32, data.shape),))
    assert (rows == data.reshape(24, 8)).all()
    view = window(FP32, data.shape, Layout.DN)
    columns = run("TLOAD", tile(FP32, (4, 48), layout=Layout.DN), data, views=(view,))
    assert columns[1, 8 * 5 + 3] == data[0, 1, 2, 1, 3]


def test_nz_windows_hold_boxes_column_by_column() -> None:
    logical = np.arange(32 * 64, dtype=np.float16).reshape(32, 64)
    boxes = logical.reshape(2, 16, 4, 16).transpose(2, 0, 1, 3)[None]
    view = window(FP16, boxes.shape, Layout.NZ)
    kind = {"space": MemorySpace.L1, "layout": Layout.NZ}
    assert (run("TLOAD", tile(FP16, (32, 64), **kind), boxes, views=(view,)) == logical).all()
    stored = run("TSTORE", view, logical, views=(tile(FP16, (32, 64), **kind),))
    assert (stored == boxes).all()


def test_padding_fills_the_row_to_its_block_of_32_bytes() -> None:
    data = np.ones((2, 5), np.float16)
    got = run("TLOAD", tile(FP16, (4, 64), (2, 5), pad="min"), data, views=(window(FP16, (2, 5)),))
    assert got.shape == (2, 16)
    assert np.isneginf(got[:, 5:]).all()
    filled = run("TFILLPAD", tile(INT8, (4, 32), pad="max"), np.ones((2, 5), np.int8))
    assert filled.shape == (4, 32)
    assert (filled == 127).sum() == 4 * 32 - 10


def test_atomic_stores_combine_with_the_old_contents() -> None:
    source, old = np.array([[1, 5]], np.float32), np.array([[10, 2]], np.float32)
    for atomic, expected in (("add", [[11, 7]]), ("max", [[10, 5]]), ("min", [[1, 2]])):
        assert run("TSTORE", window(FP32, (1, 2)), source, old, atomic=atomic).tolist() == expected


def test_an_accumulator_is_scaled_converted_and_clamped_on_its_way_out() -> None:
    value = np.array([[100, -3, 7]], np.int32)
    accumulator = tile(INT32, (1, 3), space=MemorySpace.L0C)
    half = run("TSTORE", window(FP16, (1, 3)), value, views=(accumulator,), pre_quant=0.5)
    assert half.tolist() == [[50, -1.5, 3.5]]
    signed = run("TMOV", tile(INT8, (1, 3)), value, views=(accumulator,), pre_quant=2.0)
    assert signed.tolist() == [[127, -6, 14]]
    relu = run("TMOV", tile(INT8, (1, 3)), value, views=(accumulator,), pre_quant=2.0, relu=True)
    assert relu.tolist() == [[127, 0, 14]]
    unsigned = run("TSTORE", window(UINT8, (1, 3)), value, views=(accumulator,), pre_quant=0x40000000)
    assert unsigned.tolist() == [[200, 0, 14]]
    shifted = run("TSTORE", window(INT16, (1, 3)), value, views=(accumulator,), pre_quant=1 << 32)
    assert shifted.tolist() == [[25, -1, 1]]


def test_parameters_per_column_scale_each_column() -> None:
    value = np.array([[1.0, 1.0], [3.0, 3.0]], np.float32)
    scales = np.array([2.0, 4.0], np.float32).view(np.uint32).astype(np.uint64) | np.uint64(1 << 46)
    accumulator = tile(FP32, (2, 2), space=MemorySpace.L0C)
    views = (accumulator, tile(BY_NAME["DT_UINT64"], (1, 16)))
    got = run("TMOV_FP", tile(INT8, (2, 2)), value, np.resize(scales, (1, 16)), views=views)
    assert got.tolist() == [[2, 4], [6, 12]]


def test_a_narrow_accumulator_saturates_only_when_scaled() -> None:
    value = np.array([[1e6]], np.float32)
    accumulator = tile(FP32, (1, 1), space=MemorySpace.L0C)
    assert np.isinf(run("TSTORE", window(FP16, (1, 1)), value, views=(accumulator,))).all()
    assert run("TSTORE", window(FP16, (1, 1)), value, views=(accumulator,), pre_quant=1.0).tolist() == [[65504]]


def test_moves_may_transpose() -> None:
    value = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (run("TTRANS", tile(FP32, (3, 2)), value) == value.T).all()
    assert (run("TMOV", tile(FP32, (3, 2)), value, transpose=True) == value.T).all()
    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    got = run("TTRANS", tile(FP32, (3, 2, 4)), cube, permutation=(1, 0, 2))
    assert (got == cube.transpose(1, 0, 2)).all()


def test_reshape_keeps_bytes() -> None:
    value = np.arange(8, dtype=np.float32).reshape(2, 4)
    assert run("TRESHAPE", tile(FP32, (4, 2)), value).ravel().tolist() == list(range(8))
    assert (run("TRESHAPE", tile(UINT16, (2, 8)), value) == value.view(np.uint16)).all()


@given(st.integers(1, 6), st.integers(1, 20), st.integers(0, 5))
def test_interleaving_is_undone_by_deinterleaving(rows: int, half: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    even, odd = (random.integers(0, 99, (rows, 2 * half)).astype(np.int32) for _ in range(2))
    upper, lower = run("TINTERLEAVE", (like(even), like(even)), odd, even)
    assert lower[0, :2].tolist() == [even[0, 0], odd[0, 0]]
    back_odd, back_even = run("TDEINTERLEAVE", (like(even), like(even)), upper, lower)
    assert (back_odd == odd).all()
    assert (back_even == even).all()


def test_gathers_index_the_physical_tile() -> None:
    source = np.arange(32, dtype=np.float32).reshape(4, 8)
    indices = np.array([[9, 0], [31, 32]], np.int32)
    views = (tile(FP32, (4, 8), (2, 3)), like(indices))
    assert run("TGATHER", tile(FP32, (2, 2)), source, indices, views=views).tolist() == [[9, 0], [31, 0]]
    views = (tile(FP32, (4, 8), (2, 8)),)
    assert run("TGATHER", tile(FP32, (2, 2)), source, views=views, pattern="P0100").tolist() == [[2, 6], [10, 14]]
    assert run("TGATHER", tile(FP32, (2, 4)), source, views=views, pattern=2).tolist() == [
        [1, 3, 5, 7],
        [9, 11, 13, 15],
    ]


def test_a_gather_by_comparison_packs_the_columns_that_hold() -> None:
    source = np.array([[5, 1, 7, 9], [0, 0, 8, 1]], np.float32)
    limit = np.array([[4], [7]], np.float32)
    outputs = (tile(INT32, (2, 4)), tile(INT32, (2, 1)))
    columns, counts = run("TGATHER", outputs, source, limit, compare="GT")
    assert columns.tolist() == [[0, 2, 3, 0], [2, 0, 0, 0]]
    assert counts.tolist() == [[3], [1]]
    outputs = (tile(INT32, (2, 4)), tile(INT32, (1, 8)))
    _, byte_counts = run("TGATHER", outputs, source, limit, compare="GT", arch="3510")
    assert byte_counts.tolist() == [[12, 4]]


def test_a_scatter_keeps_what_it_does_not_write_if_told_the_old_contents() -> None:
    source, indices = np.array([[1, 2]], np.float32), np.array([[5, 0]], np.int32)
    old = np.full((2, 4), 9, np.float32)
    assert run("TSCATTER", like(old), source, indices, old).tolist() == [[2, 9, 9, 9], [9, 1, 9, 9]]
    assert run("TSCATTER", like(old), source, indices).tolist() == [[2, 0, 0, 0], [0, 1, 0, 0]]
    spread = run("TSCATTER", tile(FP32, (1, 4)), source, pattern="P1010")
    assert spread.tolist() == [[0, 1, 0, 2]]


@pytest.mark.parametrize(("rule", "expected"), [("clamp", [7, 7]), ("wrap", [1, 7]), ("zero", [0, 0])])
def test_memory_gathers_treat_indices_out_of_range(rule: str, expected: list[int]) -> None:
    table, indices = np.arange(8, dtype=np.float32).reshape(2, 4), np.array([[9, -1]], np.int32)
    got = run("MGATHER", tile(FP32, (1, 2)), table, indices, views=(window(FP32, (2, 4)), like(indices)), oob=rule)
    assert got.tolist() == [expected]


def test_memory_scatters_add_every_hit() -> None:
    table, indices = np.zeros((2, 2), np.float32), np.array([[3, 3, 0]], np.int32)
    source = np.array([[1, 2, 4]], np.float32)
    view = window(FP32, (2, 2))
    assert run("MSCATTER", view, source, indices, table, atomic="add").tolist() == [[4, 0], [0, 3]]
    assert run("MSCATTER", view, source, indices, table).tolist() == [[4, 0], [0, 2]]
    assert not table.any()


@given(st.lists(st.integers(0, 9), min_size=64, max_size=64), st.sampled_from([FP32, FP16]))
def test_groups_of_32_sort_down_with_ties_by_index(scores: list[int], dtype: Any) -> None:
    numpy = {FP32: np.float32, FP16: np.float16}[dtype]
    width = 8 // np.dtype(numpy).itemsize
    labels = np.arange(100, 164, dtype=np.uint32)[None]
    got = run("TSORT32", tile(dtype, (1, 64 * width)), np.array([scores], numpy), labels).reshape(64, width)
    found = [(float(row[0]), int(row[width // 2 :].view(np.uint32)[0])) for row in got]
    pairs = list(zip(scores, labels[0].tolist(), strict=True))
    expected = [sorted(pairs[start : start + 32], key=lambda pair: (-pair[0], pair[1])) for start in (0, 32)]
    assert found == [(float(score), label) for group in expected for score, label in group]


def test_merging_stops_when_a_list_is_exhausted() -> None:
    lists = [np.array([[9, 0, 3, 0]], np.float32), np.array([[8, 0, 7, 0]], np.float32)]
    outputs = (tile(FP32, (1, 8)), tile(UINT16, (1, 4)))
    merged, used = run("TMRGSORT", outputs, *lists, exhausted=True)
    assert merged[0, ::2].tolist() == [9, 8, 7]
    assert used.tolist() == [[1, 2, 0, 0]]
    complete = run("TMRGSORT", outputs[0], *lists)
    assert complete[0, ::2].tolist() == [9, 8, 7, 3]


def test_sequences_and_triangles() -> None:
    assert run("TCI", tile(INT16, (1, 4)), 5).tolist() == [[5, 6, 7, 8]]
    assert run("TCI", tile(FP16, (1, 3)), 5, descending=True).tolist() == [[5, 4, 3]]
    assert (run("TTRI", tile(FP32, (3, 4)), 0) == np.tril(np.ones((3, 4)))).all()
    assert (run("TTRI", tile(FP32, (3, 4)), 1, upper=True) == np.triu(np.ones((3, 4)), 1)).all()


def test_histograms_accumulate_over_bins() -> None:
    source = np.array([[0x0102, 0x0103, 0x0202]], np.uint16)
    filters = np.array([[1]], np.uint8)
    high = run("THISTOGRAM", tile(BY_NAME["DT_UINT32"], (1, 256)), source, filters, byte=1)
    assert high[0, [0, 1, 2, 255]].tolist() == [0, 2, 3, 3]
    low = run("THISTOGRAM", tile(BY_NAME["DT_UINT32"], (1, 256)), source, filters, byte=0)
    assert low[0, [1, 2, 3, 255]].tolist() == [0, 1, 2, 2]


def test_an_accumulator_leaves_as_hifloat8_codes() -> None:
    hifloat8 = BY_NAME["DT_HF8"]
    value = np.array([[1.0, 1.125, -2.0]], np.float32)
    accumulator = tile(FP32, (1, 3), space=MemorySpace.L0C)
    plain = run("TSTORE", window(hifloat8, (1, 3)), value, views=(accumulator,), arch="3510")
    assert plain.tolist()[0][:2] == [0b0001000, 0b0001001]
    scaled = run("TSTORE", window(hifloat8, (1, 3)), value / 2, views=(accumulator,), arch="3510", pre_quant=2.0)
    assert scaled.tolist() == plain.tolist()
