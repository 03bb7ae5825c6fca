"""Kernels compiled and run: results against numpy."""

import math

import numpy as np
import pytest
from block_kernels import cube_tile, kernel, matmul, softmax, vector_tile
from ptoscope_compiler import targets
from ptoscope_compiler.dtype import FP16, FP32, INT32
from ptoscope_compiler.pipeline import compile_tensor_kernel
from ptoscope_simulator.machine.machine import Machine


def run(traced, *inputs, target="a2a3"):
    """What the kernel writes to its last parameter."""
    chip = targets.load(target)
    program = compile_tensor_kernel(traced, chip)
    result = program.parameters[-1]
    arrays = {buffer.name: array.copy() for buffer, array in zip(program.parameters, inputs, strict=False)}
    arrays[result.name] = np.zeros(result.shape, result.dtype.numpy)
    Machine(chip).run(program, arrays, {})
    return arrays[result.name]


def normal(*shape, dtype="float32"):
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape).astype(dtype)


def single(opcode, shape, dtype=None, **attributes):
    return lambda write, *inputs: write(opcode, inputs, shape, dtype, **attributes)


@pytest.mark.parametrize("target", ["a2a3", "950"])
def test_softmax_over_several_tiles_of_a_row(target):
    x = normal(2, 8, 1, 256)
    raised = np.exp(x - x.max(-1, keepdims=True))
    found = run(kernel(softmax, [x.shape, x.shape], vector_tile(1, 4, 1, 64)), x, target=target)
    np.testing.assert_allclose(found, raised / raised.sum(-1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("target", ["a2a3", "950"])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_products_with_factors_stored_either_way(left, right, target):
    a, b = normal(96, 160), normal(160, 80)
    stored = (a.T.copy() if left else a), (b.T.copy() if right else b)
    traced = kernel(
        matmul(left, right), [*(s.shape for s in stored), (96, 80)], cube_tile((32, 32), (32, 64, 64), (48, 48))
    )
    np.testing.assert_allclose(run(traced, *stored, target=target), a @ b, atol=1e-4)


def test_a_product_starts_from_its_bias():
    a, b, bias = normal(32, 64), normal(64, 48), normal(1, 48)
    traced = kernel(
        matmul(False, False), [a.shape, b.shape, bias.shape, (32, 48)], cube_tile((16, 16), (32, 64, 64), (32, 32))
    )
    np.testing.assert_allclose(run(traced, a, b, bias), a @ b + bias, atol=1e-4)


def test_a_half_precision_product_is_added_up_in_single_precision():
    a, b = normal(16, 512, dtype="float16"), normal(512, 16, dtype="float16")
    traced = kernel(
        matmul(False, False),
        [a.shape, b.shape, (16, 16)],
        cube_tile((16, 16), (64, 64, 64), (16, 16)),
        [FP16, FP16, FP16],
    )
    expected = (a.astype("float32") @ b.astype("float32")).astype("float16")
    np.testing.assert_array_max_ulp(run(traced, a, b), expected, 1)


@pytest.mark.parametrize(
    ("left", "right"), [((50, 100), (1, 100)), ((50, 100), (50, 1)), ((50, 1), (1, 100)), ((50, 100), (50, 100))]
)
def test_operands_broadcast(left, right):
    a, b = normal(*left), normal(*right)
    traced = kernel(single("SUB", (50, 100)), [left, right, (50, 100)], vector_tile(32, 32))
    np.testing.assert_array_equal(run(traced, a, b), a - b)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("opcode", "reference"), [("ROWMAX_SINGLE", np.max), ("ROWSUM_SINGLE", np.sum)])
def test_reductions_over_each_axis_with_tail_tiles(opcode, reference, axis):
    x = normal(7, 30, 20)
    shape = tuple(1 if index == axis else extent for index, extent in enumerate(x.shape))
    traced = kernel(single(opcode, shape, op_attr_AXIS=axis), [x.shape, shape], vector_tile(4, 16, 8))
    np.testing.assert_allclose(run(traced, x), reference(x, axis=axis, keepdims=True), rtol=1e-4, atol=1e-5)


def test_a_scalar_may_stand_on_either_side():
    x = normal(20, 40)
    minus = kernel(single("SUBS", x.shape, SCALAR=2.0), [x.shape, x.shape], vector_tile(16, 16))
    reversed_minus = kernel(
        single("SUBS", x.shape, SCALAR=2.0, op_attr_reverseOperand=True), [x.shape, x.shape], vector_tile(16, 16)
    )
    np.testing.assert_array_equal(run(minus, x), x - np.float32(2))
    np.testing.assert_array_equal(run(reversed_minus, x), np.float32(2) - x)


def test_a_reshape_between_tiled_operations_moves_elements():
    def body(write, x):
        raised = write("EXP", (x,), x.shape, tiles=vector_tile(16, 16))
        turned = write("RESHAPE", (raised,), (64, 6, 10), tiles=vector_tile(16, 16))
        return write("NEG", (turned,), (64, 6, 10))

    x = normal(64, 60)
    traced = kernel(body, [x.shape, (64, 6, 10)], vector_tile(16, 8, 8))
    np.testing.assert_allclose(run(traced, x), -np.exp(x).reshape(64, 6, 10), rtol=1e-6)


@pytest.mark.parametrize("opcode", ["TRANSPOSE_VNCHWCONV", "TRANSPOSE_MOVEOUT"])
def test_transposes_on_chip_and_on_the_way_out(opcode):
    x = normal(40, 24)
    traced = kernel(single(opcode, (24, 40), op_attr_shape=[0, 1]), [x.shape, (24, 40)], vector_tile(16, 16))
    np.testing.assert_array_equal(run(traced, x), x.T)


def test_elements_gathered_along_an_axis():
    x, chosen = normal(10, 20), np.random.default_rng(3).integers(0, 10, (6, 20)).astype("int32")
    traced = kernel(
        single("GATHER_ELEMENT", (6, 20), op_attr_axis=0),
        [x.shape, chosen.shape, (6, 20)],
        vector_tile(8, 8),
        [FP32, INT32, FP32],
    )
    np.testing.assert_array_equal(run(traced, x, chosen), np.take_along_axis(x, chosen, 0))


@pytest.mark.parametrize(
    ("opcode", "reference"),
    [("ERFC", math.erfc), ("ERF", math.erf), ("TANH", math.tanh), ("EXPM1", math.expm1), ("LOG1P", math.log1p)],
)
def test_functions_without_an_instruction_of_their_own(opcode, reference):
    x = np.abs(normal(20, 40)) if opcode == "LOG1P" else normal(20, 40)
    traced = kernel(single(opcode, x.shape), [x.shape, x.shape], vector_tile(16, 16))
    np.testing.assert_allclose(run(traced, x), np.vectorize(reference)(x), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_the_place_of_the_largest_element(axis):
    x = normal(20, 40)
    shape = (1, 40) if axis == 0 else (20, 1)
    places = single("ROWARGMAX_SINGLE", shape, INT32, op_attr_AXIS=axis)
    traced = kernel(places, [x.shape, shape], vector_tile(8, 16), [FP32, INT32])
    np.testing.assert_array_equal(run(traced, x), x.argmax(axis, keepdims=True))


def test_results_do_not_depend_on_how_the_kernel_is_tiled():
    x = normal(64, 64)
    results = [
        run(kernel(softmax, [x.shape, x.shape], vector_tile(*tile)), x) for tile in ((64, 64), (16, 16), (24, 40))
    ]
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-5)


def test_a_kernel_that_spills_computes_the_same_as_one_that_does_not():
    def many_alive(write, x):
        parts = [write("MULS", (x,), x.shape, SCALAR=float(factor)) for factor in range(1, 9)]
        total = parts[0]
        for part in parts[1:]:
            total = write("ADD", (total, part), x.shape)
        for part in parts:
            total = write("ADD", (total, part), x.shape)
        return total

    x = normal(256, 64)
    spilling = kernel(many_alive, [x.shape, x.shape], vector_tile(128, 64))
    roomy = kernel(many_alive, [x.shape, x.shape], vector_tile(32, 64))
    assert compile_tensor_kernel(spilling, targets.load("a2a3")).workspace
    np.testing.assert_array_equal(run(spilling, x), run(roomy, x))


@pytest.mark.parametrize("options", [{"cube_l1_reuse_setting": {-1: 4}}, {"cube_nbuffer_setting": {-1: 2}}])
def test_merged_groups_compute_the_same(options):
    from dataclasses import replace

    a, b = normal(96, 64), normal(64, 80)
    traced = kernel(matmul(False, False), [a.shape, b.shape, (96, 80)], cube_tile((32, 32), (32, 32, 32), (32, 32)))
    np.testing.assert_allclose(run(replace(traced, options=options), a, b), a @ b, atol=1e-4)


def attention(write, queries, keys, values):
    product = cube_tile((16, 16), (32, 32, 32), (32, 32))
    rows = (queries.shape[0], 1)
    scores = write("A_MUL_B", (queries, keys), (rows[0], keys.shape[0]), tiles=product, op_attr_trans_b=True)
    return write("A_MUL_B", (softmax(write, scores), values), queries.shape, tiles=product)


@pytest.mark.parametrize("target", ["a2a3", "950"])
@pytest.mark.parametrize(("seed", "tile"), [(0, (16, 16)), (1, (16, 16)), (2, (32, 48))])
def test_pipes_running_at_their_own_pace_find_no_hazard_and_the_same_result(seed, tile, target):
    chip = targets.load(target)
    shapes = [(32, 64), (48, 64), (48, 64), (32, 64)]
    arrays = {f"p{index}": normal(*shape) for index, shape in enumerate(shapes)}
    queries, keys, values = (arrays[f"p{index}"].copy() for index in range(3))
    program = compile_tensor_kernel(kernel(attention, shapes, vector_tile(*tile)), chip)
    hazards = []
    timeline = Machine(chip).simulate(
        program, arrays, {}, seed=seed, observers=[lambda event: hazards.append(event) if is_hazard(event) else None]
    )
    timeline.run()
    assert hazards == []
    scores = np.exp(queries @ keys.T - (queries @ keys.T).max(1, keepdims=True))
    np.testing.assert_allclose(arrays["p3"], scores / scores.sum(1, keepdims=True) @ values, atol=1e-4)


def is_hazard(event):
    return type(event).__name__ == "HazardFound"
