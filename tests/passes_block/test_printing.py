"""Graphs and programs as text and JSON."""

import json

import pytest
from block_kernels import kernel, softmax, vector_tile
from hypothesis import given
from hypothesis import strategies as st
from ptoscope_compiler import targets
from ptoscope_compiler.ir.json import graph_from_json, graph_to_json
from ptoscope_compiler.ir.scalar_text import ScalarSyntax, format_scalar, parse_scalar
from ptoscope_compiler.ir.text import GraphSyntax, graph_from_text, graph_to_text
from ptoscope_compiler.pipeline import compile_tensor_kernel, run_kernel_passes
from ptoscope_compiler.pto.text import program_to_text
from ptoscope_compiler.scalar import ElementRead, Expression, Symbol

NAMES = st.sampled_from(["i", "loop_1", "x.shape[0]", "inf", "a b"])
LEAVES = st.one_of(st.integers(), st.booleans(), st.floats(allow_nan=False), NAMES.map(Symbol))
SCALARS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "min", "max", "lt", "mod", "and"]), inner, inner).map(
            lambda parts: Expression(parts[0], parts[1:])
        ),
        st.tuples(NAMES, st.lists(inner, min_size=1, max_size=3)).map(lambda p: ElementRead(p[0], tuple(p[1]))),
    ),
)


@given(SCALARS)
def test_a_scalar_reads_back_as_written(value):
    assert parse_scalar(format_scalar(value)) == value


@pytest.mark.parametrize("text", ["", "1 +", "(a ? b)", "f(", "a b"])
def test_other_texts_are_no_scalars(text):
    with pytest.raises((ScalarSyntax, ValueError)):
        parse_scalar(text)


@pytest.mark.parametrize("stage", ["ExpandFunction", "AssignMemoryType", "ReplaceTensor", "InferDynShape"])
def test_graphs_read_back_from_both_forms(stage):
    traced = kernel(softmax, [(16, 96)] * 2, vector_tile(8, 32))
    (segment,) = run_kernel_passes(traced, targets.load("a2a3"), until=stage).segments()
    text = graph_to_text(segment.graph)
    assert graph_to_text(graph_from_text(text)) == text
    data = graph_to_json(segment.graph)
    assert graph_to_json(graph_from_json(json.loads(json.dumps(data)))) == data


def test_a_line_that_is_no_graph_is_named():
    with pytest.raises(GraphSyntax, match="line 2"):
        graph_from_text("graph g stage=tile\n  nonsense\n")


def test_a_program_prints_its_instructions_with_their_lines():
    program = compile_tensor_kernel(kernel(softmax, [(16, 64)] * 2, vector_tile(8, 64)), targets.load("a2a3"))
    text = program_to_text(program)
    assert "trowmax" in text and "trowexpandsub" in text and "texp" in text
    assert "set_flag mte2 -> v, event1" in text
    assert all("// kernel.py:" in line for line in text.splitlines() if "tstore" in line or "tload" in line)
