"""Softmax over the last axis, a row block per iteration; runs on a board and under `ptoscope run` alike."""

import pypto


@pypto.frontend.jit
def softmax_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 256], pypto.DT_FP32),
    y: pypto.Tensor([pypto.DYNAMIC, 256], pypto.DT_FP32),
):
    rows = 32
    pypto.set_vec_tile_shapes(16, 128)
    for block in pypto.loop(x.shape[0] // rows, name="row_block", idx_name="block"):
        start = block * rows
        tile = x[start : start + rows, :]
        shifted = tile - pypto.amax(tile, dim=-1, keepdim=True)
        weights = pypto.exp(shifted)
        y[start:, :] = weights / pypto.sum(weights, dim=-1, keepdim=True)


def main():
    import torch
    import torch_npu  # noqa: F401 (registers the npu device)

    torch.manual_seed(0)
    x = torch.randn(128, 256, device="npu:0")
    y = torch.empty_like(x)
    softmax_kernel(x, y)
    torch.npu.synchronize()
    torch.testing.assert_close(y, torch.softmax(x, dim=-1), rtol=1e-3, atol=1e-5)
    print("softmax: equal to torch.softmax")


if __name__ == "__main__":
    main()
