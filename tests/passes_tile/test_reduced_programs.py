"""A program of which one tile of each kind was compiled computes, bit by bit, what the one compiled whole computes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ptoscope_compiler import targets
from ptoscope_compiler.ir.graph import CubeTile
from ptoscope_compiler.ir.kernel import Segment, TensorKernel
from ptoscope_compiler.pipeline import compile_tensor_kernel
from ptoscope_compiler.pto.program import PtoProgram
from ptoscope_simulator.machine.machine import Machine
from tensor_graphs import HERE, Script

CHIP = targets.load("a2a3")
SIZES = st.integers(1, 60)
TILES = st.sampled_from([8, 16, 24])


def results(program: PtoProgram) -> dict[str, np.ndarray]:
    """The arrays that `program` leaves, its parameters filled at random before."""
    random = np.random.default_rng(7)
    arrays = {
        buffer.name: random.standard_normal(buffer.shape).astype(buffer.dtype.numpy) for buffer in program.parameters
    }
    Machine(CHIP).run(program, arrays, {})
    return arrays


def assert_same_results(script: Script) -> None:
    raws = tuple(tensor.raw for tensor in (*script.inputs, *script.outputs))
    kernel = TensorKernel("kernel", raws, (), (Segment(script.graph()),), HERE)
    reduced = results(compile_tensor_kernel(kernel, CHIP))
    whole = results(compile_tensor_kernel(kernel, CHIP, observe=lambda name, state: None))
    for name, array in whole.items():
        np.testing.assert_array_equal(reduced[name].view(np.uint8), array.view(np.uint8), err_msg=name)


@settings(max_examples=12, deadline=None)
@given(shape=st.tuples(SIZES, SIZES), tile=st.tuples(TILES, TILES), axis=st.integers(0, 1))
def test_softmax_with_tails(shape: tuple[int, int], tile: tuple[int, int], axis: int) -> None:
    script = Script(tile)
    x = script.input(*shape)
    raised = script.op("EXP", script.op("SUB", x, script.reduce("MAX", x, axis)))
    script.output(script.op("MUL", raised, script.reduce("SUM", raised, axis)))
    assert_same_results(script)


@settings(max_examples=12, deadline=None)
@given(shape=st.tuples(SIZES, SIZES), tile=st.tuples(TILES, TILES), other=st.tuples(TILES, TILES))
def test_two_tile_shapes_and_two_results(shape: tuple[int, int], tile: tuple[int, int], other: tuple[int, int]) -> None:
    script = Script(tile)
    x, row = script.input(*shape), script.input(1, shape[1])
    total = script.op("ADD", x, row)
    script.output(script.op("ABS", total))
    script.tiles = Script(other).tiles
    script.output(script.op("EXP", total))
    assert_same_results(script)


@settings(max_examples=12, deadline=None)
@given(m=SIZES, n=SIZES, k=SIZES, rows=TILES, columns=TILES)
def test_a_product_and_a_vector_operation_behind(m: int, n: int, k: int, rows: int, columns: int) -> None:
    script = Script((rows, columns), CubeTile((16, 16), (16, 32, 32), (16, 32)))
    product = script.matmul(script.input(m, k), script.input(k, n))
    script.output(script.op("ABS", product))
    assert_same_results(script)
