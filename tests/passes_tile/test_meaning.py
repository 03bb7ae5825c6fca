"""No tile pass changes what a graph computes, whatever the shapes, tiles and tails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptoscope_compiler.dtype import FP16
from ptoscope_compiler.ir.graph import CubeTile, Graph
from tensor_graphs import Script, evaluate, passes

SIZES = st.integers(1, 40)
TILES = st.sampled_from([4, 8, 16])


def assert_every_pass_computes_the_same(script: Script, slices: bool) -> None:
    random = np.random.default_rng(1)
    inputs = {tensor.raw.name: random.standard_normal(tensor.shape) for tensor in script.inputs}
    expected = evaluate(script.graph(), inputs)

    def check(name: str, graph: Graph) -> None:
        for output, value in evaluate(graph, inputs).items():
            np.testing.assert_allclose(value, expected[output], rtol=1e-9, atol=1e-9, err_msg=name)

    passes(script, "ProcessAtomic", slices, check)


@settings(max_examples=25, deadline=None)
@given(rows=SIZES, columns=SIZES, tile=st.tuples(TILES, TILES), other=st.tuples(TILES, TILES), slices=st.booleans())
def test_elementwise_chain_with_two_tile_shapes(
    rows: int, columns: int, tile: tuple[int, int], other: tuple[int, int], slices: bool
) -> None:
    script = Script(tile)
    x, y = script.input(rows, columns), script.input(rows, columns)
    total = script.op("ADD", x, y)
    script.tiles = Script(other).tiles
    script.output(script.op("MUL", script.op("EXP", total), x))
    assert_every_pass_computes_the_same(script, slices)


@settings(max_examples=25, deadline=None)
@given(shape=st.tuples(SIZES, SIZES), tile=st.tuples(TILES, TILES), axis=st.integers(0, 1), slices=st.booleans())
def test_reduction_and_broadcast_of_its_result(
    shape: tuple[int, int], tile: tuple[int, int], axis: int, slices: bool
) -> None:
    script = Script(tile)
    x = script.input(*shape)
    top = script.reduce("MAX", x, axis)
    script.output(script.op("SUB", x, top))
    script.output(script.reduce("SUM", x, axis))
    assert_every_pass_computes_the_same(script, slices)


@settings(max_examples=20, deadline=None)
@given(m=SIZES, n=SIZES, k=SIZES, trans_a=st.booleans(), trans_b=st.booleans(), slices=st.booleans())
def test_matmul_and_a_vector_operation_behind(
    m: int, n: int, k: int, trans_a: bool, trans_b: bool, slices: bool
) -> None:
    script = Script((8, 16), CubeTile((16, 16), (16, 32, 32), (16, 16)))
    a = script.input(*((k, m) if trans_a else (m, k)), dtype=FP16)
    b = script.input(*((n, k) if trans_b else (k, n)), dtype=FP16)
    script.output(script.op("EXP", script.matmul(a, b, trans_a, trans_b)))
    assert_every_pass_computes_the_same(script, slices)


@settings(max_examples=20, deadline=None)
@given(half=st.integers(1, 20), columns=SIZES, tile=st.tuples(TILES, TILES), slices=st.booleans())
def test_views_taken_apart_and_put_together_elsewhere(
    half: int, columns: int, tile: tuple[int, int], slices: bool
) -> None:
    script = Script(tile)
    x = script.input(2 * half, columns)
    upper = script.op("EXP", script.view(x, (half, columns), (0, 0)))
    lower = script.view(x, (half, columns), (half, 0))
    joined = script.builder.new((2 * half, columns), x.dtype)
    script._append("ASSEMBLE", (lower,), joined, {"offset": (0, 0)})
    script._append("ASSEMBLE", (upper,), joined, {"offset": (half, 0)})
    script.output(script.op("ABS", joined))
    assert_every_pass_computes_the_same(script, slices)


SHAPES = [(8, 6, 4), (1, 8, 24), (48, 4), (2, 4, 6, 4), (192,), (8, 24), (4, 2, 3, 8), (16, 12)]


@settings(max_examples=60, deadline=None)
@given(
    before=st.sampled_from(SHAPES),
    after=st.sampled_from(SHAPES),
    tiles=st.lists(st.sampled_from([1, 2, 3, 4, 8, 12, 16]), min_size=8, max_size=8),
    slices=st.booleans(),
)
def test_reshape_between_tiles(before: tuple[int, ...], after: tuple[int, ...], tiles: list[int], slices: bool) -> None:
    script = Script(tuple(tiles[: len(before)]))
    made = script.op("EXP", script.input(*before))
    flat = script.op("RESHAPE", made, shape=after)
    script.tiles = Script(tuple(tiles[-len(after) :])).tiles
    script.output(script.op("ADD", flat, flat))
    assert_every_pass_computes_the_same(script, slices)


@pytest.mark.parametrize("slices", [False, True])
def test_reshape_and_transpose(slices: bool) -> None:
    script = Script((4, 8))
    x = script.input(12, 10)
    turned = script.op("TRANSPOSE_VNCHWCONV", x, shape=(10, 12), op_attr_shape=(0, 1))
    flat = script.op("RESHAPE", script.op("EXP", turned), shape=(5, 24))
    script.output(script.op("ADD", flat, flat))
    assert_every_pass_computes_the_same(script, slices)
