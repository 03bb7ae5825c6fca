"""Compiling one tile of each kind and multiplying the calls gives the calls of the whole graph."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptoscope_compiler.dtype import FP16
from ptoscope_compiler.ir.execute import ExecuteGraph, LeafFunction
from ptoscope_compiler.ir.graph import CubeTile, Graph
from ptoscope_compiler.passes.manager import run_passes
from ptoscope_compiler.passes.multiplication import NotUniform, multiply
from ptoscope_compiler.passes.tile_classes import reduce
from tensor_graphs import Script, context

SIZES = st.integers(1, 60)
TILES = st.sampled_from([4, 8, 16])


def leaf_structure(leaf: LeafFunction) -> tuple[object, ...]:
    """The operations of a leaf function, without the names of their tensors and in no order."""
    operations = (
        (operation.opcode, *((t.shape, t.valid_shape, str(t.memory)) for t in (*operation.inputs, *operation.outputs)))
        for operation in leaf.graph.operations
    )
    return tuple(sorted(operations, key=str))


def calls(execute: ExecuteGraph) -> Counter[object]:
    """Every single call: its leaf, and its windows of the caller's storage; workspace counts by shape."""
    found: Counter[object] = Counter()
    structures = {name: leaf_structure(leaf) for name, leaf in execute.leaves.items()}
    for call in execute.calls:
        for place in product(*map(range, call.grid)):
            windows = []
            for index, (operand, raw) in enumerate(zip(call.operands, call.raws, strict=True)):
                offset = list(operand.offset)
                for position, strides in zip(place, call.strides, strict=True):
                    offset = [start + position * step for start, step in zip(offset, strides[index], strict=True)]
                named = (raw.name, tuple(offset)) if raw.parameter else ("workspace",)
                windows.append((*named, operand.shape, operand.valid_shape))
            found[structures[call.leaf], tuple(sorted(windows, key=str))] += 1
    return found


def compiled(script: Script, graph: Graph, slices: bool) -> ExecuteGraph:
    state = run_passes(graph, context(script, slices), "SubgraphToFunction", after="RemoveUndrivenView")
    assert isinstance(state, ExecuteGraph)
    return state


def assert_same_calls(script: Script, slices: bool) -> None:
    whole = compiled(script, script.graph(), slices)
    reduced, multiplication = reduce(script.graph())
    try:
        multiplied = multiply(compiled(script, reduced, slices), multiplication)
    except NotUniform:
        return
    assert calls(multiplied) == calls(whole)


@settings(max_examples=30, deadline=None)
@given(shape=st.tuples(SIZES, SIZES), tile=st.tuples(TILES, TILES), other=st.tuples(TILES, TILES), slices=st.booleans())
def test_elementwise(shape: tuple[int, int], tile: tuple[int, int], other: tuple[int, int], slices: bool) -> None:
    script = Script(tile)
    x, y = script.input(*shape), script.input(*shape)
    total = script.op("ADD", x, y)
    script.tiles = Script(other).tiles
    script.output(script.op("MUL", total, y))
    assert_same_calls(script, slices)


@settings(max_examples=20, deadline=None)
@given(shape=st.tuples(SIZES, SIZES), tile=st.tuples(TILES, TILES), axis=st.integers(0, 1), slices=st.booleans())
def test_reduction_and_broadcast(shape: tuple[int, int], tile: tuple[int, int], axis: int, slices: bool) -> None:
    script = Script(tile)
    x = script.input(*shape)
    script.output(script.op("SUB", x, script.reduce("MAX", x, axis)))
    assert_same_calls(script, slices)


@settings(max_examples=15, deadline=None)
@given(m=SIZES, n=SIZES, k=SIZES, slices=st.booleans())
def test_matmul_and_vector_through_global_memory(m: int, n: int, k: int, slices: bool) -> None:
    script = Script((16, 16), CubeTile((16, 16), (16, 32, 32), (16, 16)))
    product_ = script.matmul(script.input(m, k, dtype=FP16), script.input(k, n, dtype=FP16))
    script.output(script.op("EXP", product_))
    assert_same_calls(script, slices)


@pytest.mark.parametrize("slices", [False, True])
def test_the_reduced_graph_does_not_grow_with_the_number_of_tiles(slices: bool) -> None:
    sizes = []
    for rows in (64, 6400):
        script = Script((8, 16))
        script.output(script.op("ADD", script.input(rows, 160), script.input(rows, 160)))
        reduced, multiplication = reduce(script.graph())
        execute = compiled(script, reduced, slices)
        sizes.append((len(execute.calls), sum(len(leaf.graph.operations) for leaf in execute.leaves.values())))
        multiplied = multiply(execute, multiplication)
        assert sum(calls(multiplied).values()) == rows // 8 * 10
    assert sizes[0] == sizes[1]


def test_an_axis_that_something_looks_across_is_left_alone() -> None:
    script = Script((8, 8))
    x = script.input(64, 64)
    script.output(script.reduce("SUM", x, 1))
    reduced, multiplication = reduce(script.graph())
    assert [shortened.count for shortened in multiplication.classes] == [8]
    assert {operation.inputs[0].shape for operation in reduced.operations if "ROWSUM" in operation.opcode} == {(8, 64)}


def test_storage_used_in_two_ways_is_left_alone() -> None:
    script = Script((8, 8))
    x = script.input(64, 64)
    low, high = script.view(x, (32, 64), (0, 0)), script.view(x, (32, 64), (32, 0))
    script.output(script.op("ADD", low, high))
    _, multiplication = reduce(script.graph())
    assert [shortened.count for shortened in multiplication.classes] == [8]


def test_grouping_options_of_the_user_are_respected() -> None:
    script = Script((8, 8))
    script.output(script.op("EXP", script.input(64, 64)))
    graph, multiplication = reduce(script.graph(), {"pass.vec_nbuffer_setting": {-1: 2}})
    assert multiplication.trivial and len(graph.operations) == len(script.operations)
