"""Pro mode: two blocks add a tile each, with explicit buffers and automatic mutexes."""

import pypto_pro.language as pl

ROWS, COLUMNS = 32, 64


@pl.jit(auto_mutex=True)
def add_kernel(
    a: pl.Tensor[[pl.DYNAMIC, COLUMNS], pl.DT_FP32],
    b: pl.Tensor[[pl.DYNAMIC, COLUMNS], pl.DT_FP32],
    out: pl.Tensor[[pl.DYNAMIC, COLUMNS], pl.DT_FP32],
):
    tile = pl.TileType(shape=[ROWS, COLUMNS], dtype=pl.DT_FP32, target_memory=pl.MemorySpace.Vec)
    left = pl.make_tile_group(type=tile, addrs=0x0000, mutex_ids=[0, 1])
    right = pl.make_tile_group(type=tile, addrs=0x8000, mutex_ids=[2, 3])
    total = pl.make_tile_group(type=tile, addrs=0x10000, mutex_ids=[4, 5])
    with pl.section_vector():
        for row in pl.range(pl.get_block_idx(), a.shape[0] // ROWS, pl.get_block_num() * pl.get_subblock_num()):
            x, y, z = left.next(), right.next(), total.next()
            pl.load(x, a, [row * ROWS, 0])
            pl.load(y, b, [row * ROWS, 0])
            pl.add(z, x, y)
            pl.store(out, z, [row * ROWS, 0])


def main():
    import torch
    import torch_npu  # noqa: F401 (registers the npu device)

    torch.manual_seed(0)
    a = torch.randn(256, COLUMNS, device="npu:0")
    b = torch.randn(256, COLUMNS, device="npu:0")
    out = torch.empty_like(a)
    add_kernel[None, 2](a, b, out)
    torch.npu.synchronize()
    torch.testing.assert_close(out, a + b)
    print("pro_add: equal to torch")


if __name__ == "__main__":
    main()
