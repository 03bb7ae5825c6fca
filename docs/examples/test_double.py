import pypto
import torch


@pypto.frontend.jit
def double_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP16),
    y: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP16),
):
    pypto.set_vec_tile_shapes(16, 64)
    for block in pypto.loop(x.shape[0] // 16):
        y[block * 16 :, :] = x[block * 16 : block * 16 + 16, :] * 2.0


def test_double():
    x = torch.randn(48, 64, dtype=torch.float16, device="npu:0")
    y = torch.empty_like(x)
    double_kernel(x, y)
    torch.npu.synchronize()
    torch.testing.assert_close(y, x * 2)
