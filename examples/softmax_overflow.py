"""Softmax that forgets to subtract the row maximum: `exp` overflows for large inputs. A fault to find."""

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
        weights = pypto.exp(tile)
        y[start:, :] = weights / pypto.sum(weights, dim=-1, keepdim=True)


def main():
    import torch
    import torch_npu  # noqa: F401 (registers the npu device)

    torch.manual_seed(0)
    x = torch.randn(128, 256, device="npu:0") * 100
    y = torch.empty_like(x)
    softmax_kernel(x, y)
    torch.npu.synchronize()
    torch.testing.assert_close(y, torch.softmax(x, dim=-1), rtol=1e-3, atol=1e-5)
    print("softmax: equal to torch.softmax")


if __name__ == "__main__":
    main()
