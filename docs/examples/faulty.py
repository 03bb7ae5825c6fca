import pypto


@pypto.frontend.jit
def scale_kernel(
    x: pypto.Tensor([64, 64], pypto.DT_FP32),
    factor: pypto.Tensor([64, 32], pypto.DT_FP32),
    y: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(32, 32)
    y[:] = x * factor


@pypto.frontend.jit
def large_tile_kernel(
    x: pypto.Tensor([1024, 1024], pypto.DT_FP32),
    y: pypto.Tensor([1024, 1024], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(512, 512)
    y[:] = pypto.exp(x)
