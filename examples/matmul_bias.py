"""A product with a bias on cube and vector cores: bf16 operands, fp32 result."""

import pypto


@pypto.frontend.jit
def matmul_bias_kernel(
    a: pypto.Tensor([128, 256], pypto.DT_BF16),
    b: pypto.Tensor([256, 128], pypto.DT_BF16),
    bias: pypto.Tensor([1, 128], pypto.DT_FP32),
    out: pypto.Tensor([128, 128], pypto.DT_FP32),
):
    pypto.set_cube_tile_shapes([64, 64], [64, 128], [64, 64])
    pypto.set_vec_tile_shapes(32, 128)
    out[:] = pypto.matmul(a, b, pypto.DT_FP32) + bias


def main():
    import torch
    import torch_npu  # noqa: F401 (registers the npu device)

    torch.manual_seed(0)
    a = torch.randn(128, 256, dtype=torch.bfloat16, device="npu:0")
    b = torch.randn(256, 128, dtype=torch.bfloat16, device="npu:0")
    bias = torch.randn(1, 128, device="npu:0")
    out = torch.empty(128, 128, device="npu:0")
    matmul_bias_kernel(a, b, bias, out)
    torch.npu.synchronize()
    torch.testing.assert_close(out, a.float() @ b.float() + bias, rtol=1e-3, atol=1e-3)
    print("matmul_bias: equal to torch")


if __name__ == "__main__":
    main()
