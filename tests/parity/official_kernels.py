"""Ten kernels whose compute operations the official compiler and ours must agree on.

`official.json` holds what the compiler of the `pypto` 0.2.0 wheel makes of them; run this file under a tool that dumps
its graphs to make it anew. Every shape stands in the signature.
"""

import pypto

FP32, FP16, BF16 = pypto.DT_FP32, pypto.DT_FP16, pypto.DT_BF16
simulated = pypto.frontend.jit(runtime_options={"run_mode": pypto.RunMode.SIM})


@simulated
def elementwise_tails(
    x: pypto.Tensor([50, 100], FP32), y: pypto.Tensor([50, 100], FP32), out: pypto.Tensor([50, 100], FP32)
):
    pypto.set_vec_tile_shapes(16, 64)
    out[:] = pypto.exp(x * y - x) + 2.0


@simulated
def broadcast(x: pypto.Tensor([32, 96], FP32), row: pypto.Tensor([1, 96], FP32), out: pypto.Tensor([32, 96], FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = pypto.maximum(x, row) / (x + row)


@simulated
def reductions(
    x: pypto.Tensor([40, 200], FP32), rows: pypto.Tensor([40, 1], FP32), columns: pypto.Tensor([1, 200], FP32)
):
    pypto.set_vec_tile_shapes(16, 64)
    rows[:] = pypto.sum(x, dim=-1, keepdim=True)
    columns[:] = pypto.amax(x, dim=0, keepdim=True)


@simulated
def softmax(x: pypto.Tensor([24, 160], FP32), out: pypto.Tensor([24, 160], FP32)):
    pypto.set_vec_tile_shapes(8, 64)
    shifted = x - pypto.amax(x, dim=-1, keepdim=True)
    exponential = pypto.exp(shifted)
    out[:] = exponential / pypto.sum(exponential, dim=-1, keepdim=True)


@simulated
def matmul_tiles(a: pypto.Tensor([96, 192], FP16), b: pypto.Tensor([192, 80], FP16), out: pypto.Tensor([96, 80], FP32)):
    pypto.set_cube_tile_shapes([32, 32], [64, 128], [48, 48])
    out[:] = pypto.matmul(a, b, FP32)


@simulated
def matmul_transposed(
    a: pypto.Tensor([64, 32], FP16), b: pypto.Tensor([48, 64], FP16), out: pypto.Tensor([32, 48], FP32)
):
    pypto.set_cube_tile_shapes([16, 16], [32, 64], [16, 16])
    pypto.set_vec_tile_shapes(16, 48)
    out[:] = pypto.exp(pypto.matmul(a, b, FP32, a_trans=True, b_trans=True))


@simulated
def batched_matmul(
    a: pypto.Tensor([3, 32, 64], FP16), b: pypto.Tensor([3, 64, 32], FP16), out: pypto.Tensor([3, 32, 32], FP32)
):
    pypto.set_cube_tile_shapes([16, 16], [32, 32], [32, 32])
    out[:] = pypto.matmul(a, b, FP32)


@simulated
def cast_chain(x: pypto.Tensor([32, 128], BF16), out: pypto.Tensor([32, 128], BF16)):
    pypto.set_vec_tile_shapes(16, 64)
    wide = pypto.cast(x, FP32)
    out[:] = pypto.cast(pypto.sqrt(pypto.abs(wide)) * 0.5, BF16)


@simulated
def layer_norm(
    x: pypto.Tensor([48, 128], FP32),
    gamma: pypto.Tensor([1, 128], FP32),
    beta: pypto.Tensor([1, 128], FP32),
    out: pypto.Tensor([48, 128], FP32),
):
    pypto.set_vec_tile_shapes(16, 128)
    centered = x - pypto.sum(x, dim=-1, keepdim=True) / 128.0
    variance = pypto.sum(centered * centered, dim=-1, keepdim=True) / 128.0
    out[:] = centered / pypto.sqrt(variance + 1e-5) * gamma + beta


@simulated
def loop_of_views(x: pypto.Tensor([72, 64], FP32), out: pypto.Tensor([72, 64], FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    for step in pypto.loop(0, 3, 1, name="rows", idx_name="step"):
        block = pypto.view(x, [24, 64], [step * 24, 0])
        pypto.assemble(pypto.transpose(pypto.transpose(block, 0, 1), 0, 1) + block, [step * 24, 0], out)


KERNELS = (
    elementwise_tails,
    broadcast,
    reductions,
    softmax,
    matmul_tiles,
    matmul_transposed,
    batched_matmul,
    cast_chain,
    layer_norm,
    loop_of_views,
)
