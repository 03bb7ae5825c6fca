"""The Tensor graph in float64: operations, windows, valid shapes, loops, branches, and the oracle in storage types."""

from __future__ import annotations

import numpy as np
import pytest
from ptoscope_compiler.dtype import BF16, FP16, FP32, INT8, INT32
from ptoscope_compiler.ir.graph import Builder, Graph, LogicalTensor, RawTensor
from ptoscope_compiler.ir.kernel import Branch, Loop, Region, Segment, SetElement, TensorKernel
from ptoscope_compiler.origin import Origin, Span
from ptoscope_compiler.scalar import ElementRead, Symbol, add, apply, minimum, mul, sub
from ptoscope_compiler.tensor_mode.ops.registry import operations
from ptoscope_simulator.golden.evaluate import GoldenError, evaluate
from ptoscope_simulator.golden.registry import opcodes

HERE = Origin(Span("kernel.py", 7, 0, 7, 10), "kernel")


class Recorder:
    """Builds one straight-line segment over a builder that several segments share."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.operations = []

    def __call__(self, opcode: str, inputs, output: LogicalTensor, **attributes) -> LogicalTensor:
        self.operations.append(self.builder.operation(opcode, inputs, (output,), HERE, attributes))
        return output

    def segment(self) -> Segment:
        return Segment(Graph("segment", self.operations, (), ()))


def kernel(body: Region, *parameters: RawTensor) -> TensorKernel:
    return TensorKernel("kernel", parameters, (), body, HERE)


def whole(builder: Builder, raw: RawTensor) -> LogicalTensor:
    return builder.tensor(raw)


@pytest.fixture
def builder() -> Builder:
    return Builder()


def test_softmax_is_exact_in_float64(builder: Builder) -> None:
    x, y = (builder.raw((4, 8), FP16, name) for name in "xy")
    record = Recorder(builder)
    top = record("ROWMAX_SINGLE", (whole(builder, x),), builder.new((4, 1), FP16), op_attr_AXIS=1)
    shifted = record("SUB", (whole(builder, x), top), builder.new((4, 8), FP16))
    powers = record("EXP", (shifted,), builder.new((4, 8), FP16))
    total = record("ROWSUM_SINGLE", (powers,), builder.new((4, 1), FP16), op_attr_AXIS=-1)
    shares = record("DIV", (powers, total), builder.new((4, 8), FP16))
    record("ASSEMBLE", (shares,), whole(builder, y), offset=(0, 0))
    values = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float16)
    found = evaluate(kernel((record.segment(),), x, y), {"x": values, "y": np.zeros_like(values)})["y"]
    exact = np.exp(values.astype(np.float64))
    np.testing.assert_allclose(found, exact / exact.sum(axis=1, keepdims=True), rtol=1e-14)
    assert found.dtype == np.float64


def test_storage_types_round_every_result(builder: Builder) -> None:
    x, y = (builder.raw((4,), BF16, name) for name in "xy")
    record = Recorder(builder)
    doubled = record("ADDS", (whole(builder, x),), builder.new((4,), BF16), SCALAR=256.0)
    record("SUBS", (doubled,), whole(builder, y), SCALAR=256.0)
    arrays = {"x": np.full(4, 0.5, np.float32), "y": np.zeros(4, np.float32)}
    made = kernel((record.segment(),), x, y)
    assert evaluate(made, arrays)["y"].tolist() == [0.5] * 4
    assert evaluate(made, arrays, storage=True)["y"].tolist() == [0.0] * 4


def test_a_tail_reads_and_writes_its_valid_part_only(builder: Builder) -> None:
    x, y = builder.raw((10, 4), FP32, "x"), builder.raw((10, 4), FP32, "y")
    index = Symbol("i")
    start = mul(index, 4)
    rows = minimum(4, sub(10, start))
    record = Recorder(builder)
    part = builder.tensor(builder.raw((4, 4), FP32), valid_shape=(rows, 4))
    record("VIEW", (whole(builder, x),), part, offset=(start, 0))
    summed = builder.tensor(builder.raw((1, 4), FP32))
    record("ROWSUM_SINGLE", (part,), summed, op_attr_AXIS=0)
    spread = builder.tensor(builder.raw((4, 4), FP32), valid_shape=(rows, 4))
    record("ADD", (part, summed), spread)
    record("ASSEMBLE", (spread,), whole(builder, y), offset=(start, 0))
    loop = Loop(index, 0, 3, 1, (record.segment(),), HERE)
    values = np.arange(40.0, dtype=np.float32).reshape(10, 4)
    found = evaluate(kernel((loop,), x, y), {"x": values, "y": np.zeros_like(values)})["y"]
    expected = np.concatenate([block + block.sum(0, keepdims=True) for block in (values[:4], values[4:8], values[8:])])
    assert np.array_equal(found, expected)


def test_branches_element_reads_and_writes_by_the_control_flow(builder: Builder) -> None:
    x, flags = builder.raw((2,), FP32, "x"), builder.raw((2,), INT32, "flags")
    record = Recorder(builder)
    record("ADDS", (whole(builder, x),), whole(builder, x), SCALAR=1.0)
    branch = Branch(
        apply("gt", ElementRead("flags", (Symbol("i"),)), 0),
        (record.segment(),),
        (SetElement("flags", (Symbol("i"),), add(Symbol("i"), 40), HERE),),
        HERE,
    )
    body = (Loop(Symbol("i"), 0, 2, 1, (branch,), HERE),)
    found = evaluate(kernel(body, x, flags), {"x": np.zeros(2, np.float32), "flags": np.array([1, 0], np.int32)})
    assert found["x"].tolist() == [1, 1]
    assert found["flags"].tolist() == [1, 41]


def test_casts_round_to_integers_and_are_exact_between_floats(builder: Builder) -> None:
    x, y = builder.raw((3,), FP32, "x"), builder.raw((3,), INT8, "y")
    record = Recorder(builder)
    half = record("CAST", (whole(builder, x),), builder.new((3,), FP16), op_attr_mode=0)
    record("CAST", (half,), whole(builder, y), op_attr_mode=1)
    arrays = {"x": np.array([0.5, 1.5, 300.1], np.float32), "y": np.zeros(3, np.int8)}
    assert evaluate(kernel((record.segment(),), x, y), arrays)["y"].tolist() == [0, 2, 300]


def test_matmul_with_transposes_and_bias(builder: Builder) -> None:
    shapes = {"a": (3, 2), "b": (4, 3), "c": (2, 4), "bias": (1, 4)}
    a, b, c, bias = (builder.raw(shape, FP32, name) for name, shape in shapes.items())
    record = Recorder(builder)
    flags = {"op_attr_trans_a": True, "op_attr_trans_b": True, "op_attr_has_bias": True, "op_attr_relu_type": 1}
    record("A_MUL_B", [whole(builder, raw) for raw in (a, b, bias)], whole(builder, c), **flags)
    generator = np.random.default_rng(2)
    arrays = {name: generator.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    found = evaluate(kernel((record.segment(),), a, b, c, bias), arrays)["c"]
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    np.testing.assert_allclose(found, np.maximum(wide["a"].T @ wide["b"].T + wide["bias"], 0), rtol=1e-14)


def test_an_operation_without_golden_names_its_line(builder: Builder) -> None:
    x = builder.raw((2,), FP32, "x")
    record = Recorder(builder)
    record("NO_SUCH", (whole(builder, x),), whole(builder, x))
    with pytest.raises(GoldenError, match=r"kernel.py:7:1: no golden for operation NO_SUCH"):
        evaluate(kernel((record.segment(),), x), {"x": np.zeros(2, np.float32)})


UNARY_REFERENCES = {
    "EXP": np.exp, "LN": np.log, "SQRT": np.sqrt, "RSQRT": lambda x: x**-0.5, "ABS": np.abs, "TANH": np.tanh,
    "SIGN": np.sign, "RELU": lambda x: np.maximum(x, 0), "RECIPROCAL": lambda x: 1 / x, "FLOOR": np.floor,
}  # fmt: skip


@pytest.mark.parametrize("opcode", sorted(UNARY_REFERENCES))
def test_unary_operations(builder: Builder, opcode: str) -> None:
    x, y = (builder.raw((5,), FP32, name) for name in "xy")
    record = Recorder(builder)
    record(opcode, (whole(builder, x),), whole(builder, y))
    values = np.array([0.25, 0.5, 1.0, 2.5, 7.0], np.float32)
    found = evaluate(kernel((record.segment(),), x, y), {"x": values, "y": values})["y"]
    np.testing.assert_allclose(found, UNARY_REFERENCES[opcode](values.astype(np.float64)), rtol=1e-14)


@pytest.mark.parametrize(
    ("opcode", "reverse", "expected"),
    [("SUBS", False, -7.0), ("SUBS", True, 7.0), ("DIVS", True, 10 / 3), ("MAXS", False, 10.0), ("REMRS", False, 1.0)],
)
def test_scalar_operands_on_either_side(builder: Builder, opcode: str, reverse: bool, expected: float) -> None:
    x, y = (builder.raw((1,), FP32, name) for name in "xy")
    record = Recorder(builder)
    record(opcode, (whole(builder, x),), whole(builder, y), SCALAR=10.0, op_attr_reverseOperand=reverse)
    arrays = {"x": np.array([3], np.float32), "y": np.zeros(1, np.float32)}
    assert evaluate(kernel((record.segment(),), x, y), arrays)["y"].item() == pytest.approx(expected)


def test_gather_scatter_and_order(builder: Builder) -> None:
    x, index, y = builder.raw((4, 2), FP32, "x"), builder.raw((3,), INT32, "index"), builder.raw((3, 2), FP32, "y")
    record = Recorder(builder)
    record("GATHER", (whole(builder, x), whole(builder, index)), whole(builder, y), op_attr_axis=0)
    values = np.arange(8, dtype=np.float32).reshape(4, 2)
    arrays = {"x": values, "index": np.array([3, 0, 3], np.int32), "y": np.zeros((3, 2), np.float32)}
    found = evaluate(kernel((record.segment(),), x, index, y), arrays)["y"]
    assert np.array_equal(found, values[[3, 0, 3]])


def test_every_operation_of_the_tensor_mode_has_a_golden() -> None:
    emitted = {opcode for operation in operations().values() for opcode in operation.opcodes}
    assert not emitted - opcodes()
