"""Kernels of Pro mode compute what numpy computes."""

import numpy as np
import pytest
from pro_tracing import run

VECTOR_ADD = """
@pl.jit
def add(a: pl.Tensor[[64, 128], pl.DT_FP32], b: pl.Tensor[[64, 128], pl.DT_FP32],
        out: pl.Tensor[[64, 128], pl.DT_FP32]):
    tile = pl.TileType(shape=[32, 128], dtype=pl.DT_FP32)
    left = pl.make_tile_group(type=tile, addrs=0x0000, mutex_ids=[0, 1])
    right = pl.make_tile_group(type=tile, addrs=0x8000, mutex_ids=[2, 3])
    total = pl.make_tile_group(type=tile, addrs=0x10000, mutex_ids=[4, 5])
    with pl.section_vector():
        for row in pl.range(0, 64, 32):
            x, y, z = left.next(), right.next(), total.next()
            pl.load(x, a, [row, 0])
            pl.load(y, b, [row, 0])
            pl.add(z, x, y)
            pl.store(out, z, [row, 0])
"""

DYNAMIC_TAILS = """
ROWS, COLUMNS = 16, 64

@pl.jit
def scaled_exp(x: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_FP32], scale: pl.DT_FP32,
               y: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_FP32]):
    rows, columns = x.shape[0], x.shape[1]
    tile = pl.TileType(shape=[ROWS, COLUMNS], dtype=pl.DT_FP32, valid_shape=[-1, -1])
    buffers = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[0, 1])
    with pl.section_vector():
        for i in pl.range(pl.get_block_idx(), (rows + ROWS - 1) // ROWS, pl.get_block_num()):
            for j in pl.range((columns + COLUMNS - 1) // COLUMNS):
                current = buffers.next()
                valid = [pl.min(ROWS, rows - i * ROWS), pl.min(COLUMNS, columns - j * COLUMNS)]
                pl.set_validshape(current, valid)
                pl.load_tile(current, x, [i, j])
                pl.mul(current, current, scale)
                pl.exp(current, current)
                pl.store_tile(y, current, [i, j])
"""

MATMUL = """
M, N, K = 64, 64, 32

@pl.jit
def matmul(a: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_FP16], b: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_FP16],
           c: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_FP32]):
    a_l1 = pl.make_tile_group(type=pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Mat), addrs=0, mutex_ids=[0, 1])
    b_l1 = pl.make_tile_group(type=pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Mat), addrs=0x4000, mutex_ids=[2, 3])
    a_l0 = pl.make_tile_group(type=pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Left), addrs=0, mutex_ids=[4, 5])
    b_l0 = pl.make_tile_group(type=pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Right), addrs=0, mutex_ids=[6, 7])
    acc = pl.make_tile_group(type=pl.TileType([M, N], pl.DT_FP32, pl.MemorySpace.Acc), addrs=0, mutex_ids=[8, 9])
    with pl.section_cube():
        for i in pl.range(a.shape[0] // M):
            for j in pl.range(b.shape[1] // N):
                total = acc.next()
                for k in pl.range(a.shape[1] // K):
                    left, right = a_l1.next(), b_l1.next()
                    pl.load_tile(left, a, [i, k])
                    pl.load_tile(right, b, [k, j])
                    pl.move(a_l0.next(), left)
                    pl.move(b_l0.next(), right)
                    if k == 0:
                        pl.matmul(total, a_l0.current(), b_l0.current())
                    else:
                        pl.matmul_acc(total, total, a_l0.current(), b_l0.current())
                pl.store_tile(c, total, [i, j])
"""

CUBE_THEN_VECTOR = """
M, N, K = 32, 64, 64
HALF = M // 2

@pl.jit
def attention_scores(q: pl.Tensor[[M, K], pl.DT_FP16], k: pl.Tensor[[K, N], pl.DT_FP16],
                     scores: pl.Tensor[[M, N], pl.DT_FP32], out: pl.Tensor[[M, N], pl.DT_FP32]):
    q_l1 = pl.make_tile_group(type=pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Mat), addrs=0, mutex_ids=[0])
    k_l1 = pl.make_tile_group(type=pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Mat), addrs=0x4000, mutex_ids=[1])
    q_l0 = pl.make_tile_group(type=pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Left), addrs=0, mutex_ids=[2])
    k_l0 = pl.make_tile_group(type=pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Right), addrs=0, mutex_ids=[3])
    acc = pl.make_tile_group(type=pl.TileType([M, N], pl.DT_FP32, pl.MemorySpace.Acc), addrs=0, mutex_ids=[4])
    tile = pl.TileType([HALF, N], pl.DT_FP32)
    column = pl.TileType([HALF, 1], pl.DT_FP32, layout=pl.DN)
    x = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[5]).current()
    scratch = pl.make_tile_group(type=tile, addrs=0x2000, mutex_ids=[6]).current()
    reduced = pl.make_tile_group(type=column, addrs=0x4000, mutex_ids=[7]).current()
    with pl.section_cube():
        pl.load(q_l1.current(), q, [0, 0])
        pl.load(k_l1.current(), k, [0, 0])
        pl.move(q_l0.current(), q_l1.current())
        pl.move(k_l0.current(), k_l1.current())
        pl.matmul(acc.current(), q_l0.current(), k_l0.current())
        pl.store(scores, acc.current(), [0, 0])
        pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=1)
    with pl.section_vector():
        row = pl.get_subblock_idx() * HALF
        pl.system.wait_cross_core(pipe=pl.PipeType.MTE2, event_id=1)
        pl.load(x, scores, [row, 0])
        pl.maximum(reduced, x, scratch, dim=0)
        pl.expand_sub(x, x, reduced, dim=0)
        pl.exp(x, x)
        pl.sum(reduced, x, scratch, dim=0)
        pl.expand_div(x, x, reduced, dim=0)
        pl.store(out, x, [row, 0])
"""

CUBE_TO_VECTOR = """
M, N, K = 32, 64, 32

@pl.jit
def biased(a: pl.Tensor[[M, K], pl.DT_FP16], b: pl.Tensor[[K, N], pl.DT_FP16], out: pl.Tensor[[M, N], pl.DT_FP32]):
    a_l1 = pl.make_tile_group(type=pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Mat), addrs=0, mutex_ids=[0])
    b_l1 = pl.make_tile_group(type=pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Mat), addrs=0x4000, mutex_ids=[1])
    a_l0 = pl.make_tile_group(type=pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Left), addrs=0, mutex_ids=[2])
    b_l0 = pl.make_tile_group(type=pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Right), addrs=0, mutex_ids=[3])
    acc = pl.make_tile_group(type=pl.TileType([M, N], pl.DT_FP32, pl.MemorySpace.Acc), addrs=0, mutex_ids=[4])
    half = pl.make_tile(pl.TileType([ROWS, COLUMNS], pl.DT_FP32), addr=0x1000)
    with pl.section_cube():
        pl.load(a_l1.current(), a, [0, 0])
        pl.load(b_l1.current(), b, [0, 0])
        pl.move(a_l0.current(), a_l1.current())
        pl.move(b_l0.current(), b_l1.current())
        pl.matmul(acc.current(), a_l0.current(), b_l0.current())
        pl.move(half, acc.current(), acc_to_vec_mode=pl.AccToVecMode.MODE)
        pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=0)
    with pl.section_vector():
        core = pl.get_subblock_idx()
        pl.system.wait_cross_core(pipe=pl.PipeType.V, event_id=0)
        pl.add(half, half, core + 1.0)
        pl.system.bar_all()
        pl.store(out, half, [core * (M - ROWS), core * (N - COLUMNS)])
"""

VECTOR_TO_CUBE = """
M, K = 32, 32

@pl.jit
def doubled(a: pl.Tensor[[M, K], pl.DT_FP16], b: pl.Tensor[[K, K], pl.DT_FP16], out: pl.Tensor[[M, K], pl.DT_FP32]):
    half = pl.make_tile(pl.TileType([M // 2, K], pl.DT_FP16), addr=0)
    boxed = pl.make_tile(pl.TileType([M // 2, K], pl.DT_FP16, layout=pl.NZ), addr=0x1000)
    a_l1 = pl.make_tile(pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Mat), addr=0)
    b_l1 = pl.make_tile(pl.TileType([K, K], pl.DT_FP16, pl.MemorySpace.Mat), addr=0x4000)
    a_l0 = pl.make_tile(pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Left), addr=0)
    b_l0 = pl.make_tile(pl.TileType([K, K], pl.DT_FP16, pl.MemorySpace.Right), addr=0)
    acc = pl.make_tile(pl.TileType([M, K], pl.DT_FP32, pl.MemorySpace.Acc), addr=0)
    with pl.section_vector():
        row = pl.get_subblock_idx() * (M // 2)
        pl.load(half, a, [row, 0])
        pl.system.bar_all()
        pl.add(half, half, half)
        pl.move(boxed, half)
        pl.system.bar_all()
        pl.insert(a_l1, boxed, [row, 0])
        pl.system.set_cross_core(pipe=pl.PipeType.MTE3, event_id=2)
    with pl.section_cube():
        pl.load(b_l1, b, [0, 0])
        pl.system.wait_cross_core(pipe=pl.PipeType.MTE1, event_id=2)
        pl.system.bar_all()
        pl.move(a_l0, a_l1)
        pl.move(b_l0, b_l1)
        pl.system.bar_all()
        pl.matmul(acc, a_l0, b_l0)
        pl.system.bar_all()
        pl.store(out, acc, [0, 0])
"""

VECTOR_FUNCTION = """
LANES = 64

@pl.vector_function
def row_softmax(rows, out, count: pl.DT_INT64, valid: pl.DT_INT64):
    mask = vf.update_mask(valid, dtype=pl.DT_FP32)
    largest = vf.full(-1e30, dtype=pl.DT_FP32)
    total = vf.full(0.0, dtype=pl.DT_FP32)
    for i in pl.range(count):
        largest = vf.max(largest, vf_row(rows, i), mask)
    for i in pl.range(count):
        total = vf.add(total, vf.exp_sub(vf_row(rows, i), largest, mask), mask)
    for i in pl.range(count):
        scaled = vf.div(vf.exp_sub(vf_row(rows, i), largest, mask), total, mask)
        vf.store_align(out + i * LANES, scaled, mask)

def vf_row(rows, i):
    value = vf.load_align(rows, i * LANES)
    return value

@pl.jit
def column_softmax(x: pl.Tensor[[16, LANES], pl.DT_FP32], y: pl.Tensor[[16, LANES], pl.DT_FP32]):
    tile = pl.TileType(shape=[16, LANES], dtype=pl.DT_FP32)
    source = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[0]).current()
    result = pl.make_tile_group(type=tile, addrs=0x2000, mutex_ids=[1]).current()
    with pl.section_vector():
        pl.load(source, x, [0, 0])
        pl.mul(result, source, 0.0)
        row_softmax(source, result, 16, 40)
        pl.store(y, result, [0, 0])
"""


POST_UPDATE = """
@pl.vector_function
def shuffle(source, out):
    mask = vf.create_mask(pattern=pl.MaskPattern.ALL, dtype=pl.DT_FP32)
    second = out + 128
    for i in pl.range(2):
        value = vf.load_align(source, 64, post_update=True)
        vf.store_align(out, value, 64, mask, post_update=True)
        vf.store_align(second, vf_twice(value, mask), 64, mask, post_update=True)

def vf_twice(value, mask):
    total = vf.add(value, value, mask)
    return total

@pl.jit
def kernel(x: pl.Tensor[[2, 64], pl.DT_FP32], y: pl.Tensor[[4, 64], pl.DT_FP32]):
    source = pl.make_tile_group(type=pl.TileType([2, 64], pl.DT_FP32), addrs=0, mutex_ids=[0]).current()
    out = pl.make_tile_group(type=pl.TileType([4, 64], pl.DT_FP32), addrs=0x1000, mutex_ids=[1]).current()
    with pl.section_vector():
        pl.load(source, x, [0, 0])
        shuffle(source, out)
        pl.store(y, out, [0, 0])
"""


def softmax(x, axis):
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


@pytest.fixture
def random():
    return np.random.default_rng(7)


def test_a_double_buffered_loop_adds(random):
    a, b = (random.standard_normal((64, 128), np.float32) for _ in range(2))
    out = np.zeros_like(a)
    run(VECTOR_ADD, {"a": a, "b": b, "out": out})
    assert np.array_equal(out, a + b)


@pytest.mark.parametrize("shape", [(16, 64), (17, 65), (40, 200), (1, 1)])
@pytest.mark.parametrize("blocks", [1, 3])
def test_dynamic_axes_end_in_tails(random, shape, blocks):
    x, y = random.standard_normal(shape, np.float32), np.zeros(shape, np.float32)
    run(DYNAMIC_TAILS, {"x": x, "y": y}, {"scale": 0.5}, blocks)
    assert np.allclose(y, np.exp(x * np.float32(0.5)), rtol=1e-6)


def test_a_matmul_accumulates_over_double_buffers(random):
    a, b = (random.standard_normal(shape, np.float32).astype(np.float16) for shape in ((128, 96), (96, 128)))
    c = np.zeros((128, 128), np.float32)
    run(MATMUL, {"a": a, "b": b, "c": c})
    assert np.allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


def test_vector_cores_go_on_with_what_the_cube_core_stored(random):
    q, k = (random.standard_normal(shape, np.float32).astype(np.float16) for shape in ((32, 64), (64, 64)))
    scores, out = np.zeros((32, 64), np.float32), np.zeros((32, 64), np.float32)
    run(CUBE_THEN_VECTOR, {"q": q, "k": k, "scores": scores, "out": out})
    assert np.allclose(out, softmax(q.astype(np.float32) @ k.astype(np.float32), -1), atol=1e-5)


@pytest.mark.parametrize(("mode", "rows", "columns"), [("DualModeSplitM", 16, 64), ("DualModeSplitN", 32, 32)])
def test_an_accumulator_is_split_between_the_vector_cores(random, mode, rows, columns):
    a, b = (random.standard_normal(shape, np.float32).astype(np.float16) for shape in ((32, 32), (32, 64)))
    out = np.zeros((32, 64), np.float32)
    text = CUBE_TO_VECTOR.replace("MODE", mode).replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    run(text, {"a": a, "b": b, "out": out})
    product = a.astype(np.float32) @ b.astype(np.float32)
    product[:rows, :columns] += 1
    product[32 - rows :, 64 - columns :] += 2
    assert np.allclose(out, product, atol=1e-4)


def test_vector_cores_hand_tiles_to_the_cube_core(random):
    a, b = (random.standard_normal((32, 32), np.float32).astype(np.float16) for _ in range(2))
    out = np.zeros((32, 32), np.float32)
    run(VECTOR_TO_CUBE, {"a": a, "b": b, "out": out})
    assert np.allclose(out, (a + a).astype(np.float32) @ b.astype(np.float32), atol=1e-4)


def test_a_tile_inserted_into_a_transposed_layout_arrives_transposed(random):
    a, b = (random.standard_normal((32, 32), np.float32).astype(np.float16) for _ in range(2))
    out = np.zeros((32, 32), np.float32)
    text = VECTOR_TO_CUBE.replace(
        "a_l1 = pl.make_tile(pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Mat)",
        "a_l1 = pl.make_tile(pl.TileType([M, K], pl.DT_FP16, pl.MemorySpace.Mat, layout=pl.ZN)",
    )
    run(text, {"a": a, "b": b, "out": out})
    assert np.allclose(out, (a + a).T.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


def test_a_vector_function_works_on_registers_under_a_mask(random):
    x, y = random.standard_normal((16, 64), np.float32), np.zeros((16, 64), np.float32)
    run(VECTOR_FUNCTION, {"x": x, "y": y})
    assert np.allclose(y[:, :40], softmax(x[:, :40], 0), atol=1e-6)
    assert not y[:, 40:].any()


def test_post_update_moves_each_pointer_by_itself(random):
    x, y = random.standard_normal((2, 64), np.float32), np.zeros((4, 64), np.float32)
    run(POST_UPDATE, {"x": x, "y": y})
    assert np.array_equal(y, np.concatenate([x, x + x]))
