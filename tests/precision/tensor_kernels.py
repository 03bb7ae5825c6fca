"""Kernels with a precision fault, each with its sound twin. A line at fault ends in the word FAULT."""

import pypto

FP32, FP16, BF16, INT8 = pypto.DT_FP32, pypto.DT_FP16, pypto.DT_BF16, pypto.DT_INT8


@pypto.frontend.jit
def overflow_in_exp(x: pypto.Tensor([32, 128], FP32), out: pypto.Tensor([32, 128], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    raised = pypto.exp(x)  # FAULT
    out[:] = raised / pypto.sum(raised, dim=-1, keepdim=True)


@pypto.frontend.jit
def overflow_in_exp_ok(x: pypto.Tensor([32, 128], FP32), out: pypto.Tensor([32, 128], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    raised = pypto.exp(x - pypto.amax(x, dim=-1, keepdim=True))
    out[:] = raised / pypto.sum(raised, dim=-1, keepdim=True)


@pypto.frontend.jit
def wrong_axis(x: pypto.Tensor([32, 32], FP32), out: pypto.Tensor([32, 32], FP32)):
    pypto.set_vec_tile_shapes(16, 16)
    total = pypto.sum(x, dim=0, keepdim=True)  # FAULT
    out[:] = x / total


@pypto.frontend.jit
def wrong_axis_ok(x: pypto.Tensor([32, 32], FP32), out: pypto.Tensor([32, 32], FP32)):
    pypto.set_vec_tile_shapes(16, 16)
    total = pypto.sum(x, dim=-1, keepdim=True)
    out[:] = x / total


@pypto.frontend.jit
def product_in_fp16(
    a: pypto.Tensor([32, 256], FP16), b: pypto.Tensor([256, 32], FP16), out: pypto.Tensor([32, 32], FP32)
):
    pypto.set_cube_tile_shapes([32, 32], [64, 64], [32, 32])
    pypto.set_vec_tile_shapes(16, 32)
    product = pypto.matmul(a, b, FP16)  # FAULT
    out[:] = pypto.cast(product, FP32) * 0.5


@pypto.frontend.jit
def product_in_fp16_ok(
    a: pypto.Tensor([32, 256], FP16), b: pypto.Tensor([256, 32], FP16), out: pypto.Tensor([32, 32], FP32)
):
    pypto.set_cube_tile_shapes([32, 32], [64, 64], [32, 32])
    pypto.set_vec_tile_shapes(16, 32)
    product = pypto.matmul(a, b, FP32)
    out[:] = product * 0.5


@pypto.frontend.jit
def overflow_in_fp16(x: pypto.Tensor([32, 64], FP16), out: pypto.Tensor([32, 64], FP16)):
    pypto.set_vec_tile_shapes(16, 64)
    square = x * x  # FAULT
    out[:] = pypto.sqrt(square)


@pypto.frontend.jit
def overflow_in_fp16_ok(x: pypto.Tensor([32, 64], FP16), out: pypto.Tensor([32, 64], FP16)):
    pypto.set_vec_tile_shapes(16, 64)
    wide = pypto.cast(x, FP32)
    out[:] = pypto.cast(pypto.sqrt(wide * wide), FP16)


@pypto.frontend.jit
def stale_tail(x: pypto.Tensor([16, 64], FP32), out: pypto.Tensor([16, 1], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    part = pypto.view(x, [16, 64], [0, 0])  # FAULT
    out[:] = pypto.sum(part, dim=-1, keepdim=True)


@pypto.frontend.jit
def stale_tail_ok(x: pypto.Tensor([16, 64], FP32), out: pypto.Tensor([16, 1], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    part = pypto.view(x, [16, 64], [0, 0], valid_shape=[16, 40])
    out[:] = pypto.sum(part, dim=-1, keepdim=True)


@pypto.frontend.jit
def missing_cast(x: pypto.Tensor([32, 64], BF16), out: pypto.Tensor([32, 64], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    square = x * x  # FAULT
    out[:] = pypto.cast(square, FP32)


@pypto.frontend.jit
def missing_cast_ok(x: pypto.Tensor([32, 64], BF16), out: pypto.Tensor([32, 64], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    wide = pypto.cast(x, FP32)
    out[:] = wide * wide


@pypto.frontend.jit
def wrong_broadcast(x: pypto.Tensor([32, 32], FP32), bias: pypto.Tensor([32], FP32), out: pypto.Tensor([32, 32], FP32)):
    pypto.set_vec_tile_shapes(16, 32)
    column = pypto.reshape(bias, [1, 32])  # FAULT
    out[:] = x + column


@pypto.frontend.jit
def wrong_broadcast_ok(
    x: pypto.Tensor([32, 32], FP32), bias: pypto.Tensor([32], FP32), out: pypto.Tensor([32, 32], FP32)
):
    pypto.set_vec_tile_shapes(16, 32)
    column = pypto.reshape(bias, [32, 1])
    out[:] = x + column


@pypto.frontend.jit
def cancellation_in_variance(x: pypto.Tensor([32, 128], FP32), out: pypto.Tensor([32, 1], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    mean = pypto.sum(x, dim=-1, keepdim=True) * (1 / 128)
    mean_square = pypto.sum(x * x, dim=-1, keepdim=True) * (1 / 128)
    square_mean = mean * mean
    out[:] = mean_square - square_mean  # FAULT


@pypto.frontend.jit
def cancellation_in_variance_ok(x: pypto.Tensor([32, 128], FP32), out: pypto.Tensor([32, 1], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    mean = pypto.sum(x, dim=-1, keepdim=True) * (1 / 128)
    centred = x - mean
    out[:] = pypto.sum(centred * centred, dim=-1, keepdim=True) * (1 / 128)


@pypto.frontend.jit
def saturation_of_int8(x: pypto.Tensor([32, 64], FP32), out: pypto.Tensor([32, 64], INT8)):
    pypto.set_vec_tile_shapes(16, 64)
    half = pypto.cast(x, FP16)
    out[:] = pypto.cast(half, INT8, pypto.CastMode.CAST_RINT, pypto.SaturationMode.ON)  # FAULT


@pypto.frontend.jit
def saturation_of_int8_ok(x: pypto.Tensor([32, 64], FP32), out: pypto.Tensor([32, 64], INT8)):
    pypto.set_vec_tile_shapes(16, 64)
    half = pypto.cast(x * 0.25, FP16)
    out[:] = pypto.cast(half, INT8, pypto.CastMode.CAST_RINT, pypto.SaturationMode.ON)


@pypto.frontend.jit
def missing_epsilon(x: pypto.Tensor([32, 64], FP32), out: pypto.Tensor([32, 64], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    root = pypto.sqrt(pypto.sum(x * x, dim=-1, keepdim=True))  # FAULT
    out[:] = x / root


@pypto.frontend.jit
def missing_epsilon_ok(x: pypto.Tensor([32, 64], FP32), out: pypto.Tensor([32, 64], FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    root = pypto.sqrt(pypto.sum(x * x, dim=-1, keepdim=True) + 1e-6)
    out[:] = x / root


@pypto.frontend.jit
def transposed_operand(
    a: pypto.Tensor([32, 32], FP32), b: pypto.Tensor([32, 32], FP32), out: pypto.Tensor([32, 32], FP32)
):
    pypto.set_cube_tile_shapes([16, 16], [32, 32], [16, 16])
    out[:] = pypto.matmul(a, b, FP32, b_trans=True)  # FAULT


@pypto.frontend.jit
def transposed_operand_ok(
    a: pypto.Tensor([32, 32], FP32), b: pypto.Tensor([32, 32], FP32), out: pypto.Tensor([32, 32], FP32)
):
    pypto.set_cube_tile_shapes([16, 16], [32, 32], [16, 16])
    out[:] = pypto.matmul(a, b, FP32)
