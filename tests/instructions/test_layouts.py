"""Where the elements of a tile lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ptoscope_compiler.dtype import BY_NAME, FP16, FP32, INT8, DType
from ptoscope_compiler.hardware import Layout, MemorySpace
from ptoscope_compiler.pto.operands import TileType
from ptoscope_simulator.instructions import layouts
from ptoscope_simulator.numerics import numpy_dtype

_INT4 = BY_NAME["DT_INT4"]
_E8M0 = BY_NAME["DT_FP8E8M0"]


def formula(kind: TileType, row: Any, column: Any, band_rows: int, band_columns: int) -> Any:
    """Offsets of PTO-ISA's `GetTileElementOffset`, in elements."""
    if kind.layout is Layout.ND:
        return row * band_columns + column
    if kind.layout is Layout.DN:
        return column * band_rows + row
    rows, columns = layouts.box(kind)
    box = rows * columns
    row_box, row_in, column_box, column_in = row // rows, row % rows, column // columns, column % columns
    return {
        Layout.NZ: column_box * band_rows * columns + row_box * box + row_in * columns + column_in,
        Layout.ZN: row_box * band_columns * rows + column_box * box + column_in * rows + row_in,
        Layout.ZZ: row_box * band_columns * rows + column_box * box + row_in * columns + column_in,
        Layout.NN: column_box * band_rows * columns + row_box * box + column_in * rows + row_in,
    }[kind.layout]


@st.composite
def tile_types(draw: Any) -> tuple[TileType, tuple[int, int]]:
    layout = draw(st.sampled_from(list(Layout)))
    dtype: DType = draw(st.sampled_from([FP32, FP16, INT8]))
    fractal = 1024 if layout is Layout.NZ and dtype is FP32 and draw(st.booleans()) else 512
    if layout in (Layout.ZZ, Layout.NN) and draw(st.booleans()):
        dtype, fractal = _E8M0, 32
    kind = TileType(dtype, (1, 1), MemorySpace.L1, layout, fractal)
    rows, columns = (1, 1) if layout in (Layout.ND, Layout.DN) else layouts.box(kind)
    shape = (draw(st.integers(1, 4)) * rows, draw(st.integers(1, 4)) * columns)
    valid = (draw(st.integers(1, shape[0])), draw(st.integers(1, shape[1])))
    return TileType(dtype, shape, MemorySpace.L1, layout, fractal), valid


@given(tile_types())
def test_offsets_are_those_of_the_instruction_set(case: tuple[TileType, tuple[int, int]]) -> None:
    kind, valid = case
    row, column = np.ogrid[: valid[0], : valid[1]]
    expected = formula(kind, row, column, *kind.shape)
    assert (layouts.offsets(kind, valid, valid) == expected).all()


@given(tile_types(), st.integers(0, 3))
def test_what_is_written_is_read_and_the_rest_stays(case: tuple[TileType, tuple[int, int]], seed: int) -> None:
    kind, valid = case
    random = np.random.default_rng(seed)
    address = 64
    memory = random.integers(0, 120, kind.bytes + 128, np.uint8)
    before = memory.copy()
    value = random.integers(0, 100, (*valid, kind.dtype.bytes), np.uint8).view(numpy_dtype(kind.dtype))[..., 0]
    layouts.write(memory, address, kind, value)
    back = np.ascontiguousarray(layouts.read(memory, address, kind, valid))
    assert (back.view(np.uint8) == np.ascontiguousarray(value).view(np.uint8)).all()
    changed = np.flatnonzero(memory != before)
    touched = address + (
        layouts.offsets(kind, valid, valid)[..., None] * kind.dtype.bytes + np.arange(kind.dtype.bytes)
    )
    assert set(changed) <= set(touched.reshape(-1))


def test_plain_tiles_are_views_of_the_buffer() -> None:
    memory = np.zeros(4096, np.uint8)
    for layout in (Layout.ND, Layout.DN):
        view = layouts.read(memory, 32, TileType(FP32, (8, 16), MemorySpace.UB, layout), (3, 5))
        view[2, 4] = 7
        assert np.shares_memory(view, memory)
        assert memory.view(np.float32).max() == 7
        memory[:] = 0


def test_leading_axes_repeat_the_two_dimensional_tile() -> None:
    kind = TileType(FP16, (2, 3, 32, 32), MemorySpace.L1, Layout.NZ)
    flat = TileType(FP16, (32, 32), MemorySpace.L1, Layout.NZ)
    batch = layouts.offsets(kind, kind.shape, kind.shape)
    single = layouts.offsets(flat, flat.shape, flat.shape)
    assert (batch[1, 2] == single + (1 * 3 + 2) * 32 * 32).all()


def test_a_sub_tile_keeps_the_pitch_of_its_parent() -> None:
    memory = np.arange(256, dtype=np.uint8)
    parent = TileType(INT8, (8, 32), MemorySpace.UB)
    part = TileType(INT8, (2, 4), MemorySpace.UB)
    whole = layouts.read(memory, 0, parent, (8, 32))
    assert (layouts.read(memory, 3 * 32 + 8, part, (2, 4), strides=(32, 1)) == whole[3:5, 8:12]).all()


def test_a_part_of_a_boxed_tile_starts_at_its_first_box() -> None:
    memory = np.random.default_rng(1).integers(0, 256, 64 * 64 * 2, np.uint8)
    parent = TileType(FP16, (64, 64), MemorySpace.L1, Layout.NZ)
    part = TileType(FP16, (64, 32), MemorySpace.L1, Layout.NZ)
    start = int(layouts.offsets(parent, (64, 64), (64, 64))[32, 16]) * 2
    taken = layouts.read(memory, start, part, (16, 32)).view(np.uint16)
    assert (taken == layouts.read(memory, 0, parent, (64, 64)).view(np.uint16)[32:48, 16:48]).all()


def test_compact_tiles_pack_their_bands_to_the_valid_rows() -> None:
    for compact, pitch in ((0, 64), (1, 32), (2, 33)):
        kind = TileType(FP16, (64, 64), MemorySpace.L0A, Layout.NZ, compact=compact)
        place = layouts.offsets(kind, (20, 32), (20, 32))
        assert place[0, 16] == pitch * 16
        assert place[1, 0] == 16


@given(st.integers(1, 5), st.integers(1, 33), st.integers(0, 5))
def test_four_bit_elements_share_bytes_the_even_one_low(rows: int, columns: int, seed: int) -> None:
    kind = TileType(_INT4, (8, 64), MemorySpace.UB)
    memory = np.random.default_rng(seed).integers(0, 256, 8 * 32, np.uint8)
    before = memory.copy()
    value = np.random.default_rng(seed + 1).integers(-8, 8, (rows, columns)).astype(numpy_dtype(_INT4))
    layouts.write(memory, 0, kind, value)
    assert (layouts.read(memory, 0, kind, (rows, columns)).astype(int) == value.astype(int)).all()
    assert memory[0] & 15 == int(value[0, 0].astype(int)) & 15
    if columns % 2:
        assert memory[columns // 2] >> 4 == before[columns // 2] >> 4


def test_a_boxed_tile_with_a_pitch_is_refused() -> None:
    with pytest.raises(ValueError, match="pitch"):
        layouts.plan(TileType(FP16, (16, 16), MemorySpace.L1, Layout.NZ), (16, 16), (16, 16), (32, 1))


def test_a_tile_beyond_its_buffer_is_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        layouts.read(np.zeros(64, np.uint8), 32, TileType(FP32, (8, 16), MemorySpace.UB), (8, 16))
