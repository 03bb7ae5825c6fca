"""Traced kernels mean what their source says: in float64 they give what numpy gives, before and after passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from ptoscope_compiler import targets
from ptoscope_compiler.pipeline import run_kernel_passes
from ptoscope_simulator.golden.evaluate import evaluate
from tensor_kernels import kernel_of

Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """A kernel over `inputs` (the last parameter is the output) and what it computes."""

    name: str
    parameters: str
    body: str
    shapes: tuple[tuple[int, ...], ...]
    expected: Callable[..., Array]

    @property
    def source(self) -> str:
        body = "".join(f"    {line}\n" for line in self.body.strip("\n").splitlines())
        return f"@pypto.frontend.jit\ndef kernel({self.parameters}):\n{body}"


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _tensors(*shapes: str) -> str:
    names = ("x", "y", "z")[: len(shapes) - 1]
    return ", ".join(
        f"{name}: pypto.Tensor({shape}, pypto.DT_FP32)" for name, shape in zip((*names, "out"), shapes, strict=True)
    )


_CASES = (
    Case(
        "softmax",
        _tensors("(8, 32)", "(8, 32)"),
        "pypto.set_vec_tile_shapes(4, 32)\nout.move(pypto.softmax(x, -1))",
        ((8, 32),),
        _softmax,
    ),
    Case(
        "an accumulation over a loop",
        _tensors("(64, 8)", "(16, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
total = pypto.zeros([16, 8], dtype=pypto.DT_FP32)
for i in pypto.loop(4):
    total[:] = total + x[i * 16 : (i + 1) * 16, :]
out.move(total)
""",
        ((64, 8),),
        lambda x: x.reshape(4, 16, 8).sum(0),
    ),
    Case(
        "two values that a loop exchanges",
        _tensors("(8, 8)", "(8, 8)", "(8, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
a = x + 0.0
b = y + 0.0
for i in pypto.loop(3):
    a, b = b, a
out.move(a - b)
""",
        ((8, 8), (8, 8)),
        lambda x, y: y - x,
    ),
    Case(
        "a branch that only run time decides",
        _tensors("(pypto.DYNAMIC, 8)", "(pypto.DYNAMIC, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
for i in pypto.loop(x.shape[0] // 8):
    part = x[i * 8 : (i + 1) * 8, :]
    if i < 2:
        part = part * 2.0
    else:
        part = part - 1.0
    out[i * 8 :, :] = part
""",
        ((32, 8),),
        lambda x: np.concatenate([x[:16] * 2, x[16:] - 1]),
    ),
    Case(
        "a counter that only some turns raise",
        _tensors("(32, 8)", "(32, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
count = 0
for i in pypto.loop(4):
    if i > 1:
        count = count + 1
    else:
        count = count + 2
    out[i * 8 :, :] = x[i * 8 : (i + 1) * 8, :] + x[(count - 2) * 4 : (count - 2) * 4 + 8, :]
""",
        ((32, 8),),
        lambda x: np.concatenate([x[8 * i : 8 * i + 8] + x[o : o + 8] for i, o in enumerate((0, 8, 12, 16))]),
    ),
    Case(
        "a tail that the valid shape cuts",
        _tensors("(pypto.DYNAMIC, 8)", "(pypto.DYNAMIC, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
rows = x.shape[0]
for i in pypto.loop((rows + 7) // 8):
    part = pypto.view(x, [8, 8], [i * 8, 0], valid_shape=[(rows - i * 8).min(8), 8])
    pypto.assemble(pypto.exp(part), [i * 8, 0], out)
""",
        ((19, 8),),
        np.exp,
    ),
    Case(
        "a first turn that differs",
        _tensors("(pypto.DYNAMIC, 8)", "(8, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
total = pypto.tensor([8, 8], pypto.DT_FP32)
for i in pypto.loop(x.shape[0] // 8):
    part = x[i * 8 : (i + 1) * 8, :]
    if pypto.is_loop_begin(i):
        total[:] = part
    else:
        total[:] = total * 0.5 + part
    if pypto.is_loop_end(i):
        out[:] = total
""",
        ((24, 8),),
        lambda x: (x[:8] * 0.5 + x[8:16]) * 0.5 + x[16:],
    ),
    Case(
        "loops within loops",
        _tensors("(pypto.DYNAMIC, 16)", "(pypto.DYNAMIC, 16)"),
        """
pypto.set_vec_tile_shapes(8, 8)
for i in pypto.loop(x.shape[0] // 8):
    base = x[i * 8 : i * 8 + 8, 0:8]
    for j in pypto.loop(2):
        out[i * 8 :, j * 8 :] = x[i * 8 : i * 8 + 8, j * 8 : j * 8 + 8] + base
""",
        ((16, 16),),
        lambda x: x + np.concatenate([x[:, :8], x[:, :8]], 1),
    ),
    Case(
        "an unrolled loop",
        _tensors("(pypto.DYNAMIC, 8)", "(pypto.DYNAMIC, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
for i, times in pypto.loop_unroll(x.shape[0] // 8, unroll_list=[4, 2, 1]):
    size = 8 * times
    part = pypto.view(x, [size, 8], [i * 8, 0])
    pypto.assemble(pypto.exp(part), [i * 8, 0], out)
""",
        ((56, 8),),
        np.exp,
    ),
    Case(
        "nested branches",
        _tensors("(pypto.DYNAMIC, 8)", "(pypto.DYNAMIC, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
for i in pypto.loop(x.shape[0] // 8):
    value = x[i * 8 : (i + 1) * 8, :]
    if i > 0:
        value = value + 1.0
        if i > 2:
            value = value * 3.0
    out[i * 8 :, :] = value
""",
        ((32, 8),),
        lambda x: np.concatenate([x[:8], x[8:24] + 1, (x[24:] + 1) * 3]),
    ),
    Case(
        "an input that is changed in place",
        _tensors("(16, 8)", "(16, 8)"),
        """
pypto.set_vec_tile_shapes(8, 8)
x[:] = x + 1.0
out[:] = x * 2.0
""",
        ((16, 8),),
        lambda x: (x + 1) * 2,
    ),
    Case(
        "batches of a product",
        _tensors("(3, 16, 32)", "(3, 32, 16)", "(3, 16, 16)"),
        """
pypto.set_cube_tile_shapes([16, 16], [32, 32], [16, 16])
pypto.set_vec_tile_shapes(1, 16, 16)
out.move(pypto.matmul(x, y, pypto.DT_FP32))
""",
        ((3, 16, 32), (3, 32, 16)),
        np.matmul,
    ),
    Case(
        "a transpose of outer axes",
        _tensors("(2, 8, 16)", "(8, 2, 16)"),
        "pypto.set_vec_tile_shapes(2, 8, 16)\nout.move(pypto.transpose(x, 0, 1) * 2.0)",
        ((2, 8, 16),),
        lambda x: x.swapaxes(0, 1) * 2,
    ),
    Case(
        "concatenation, slices and reshapes",
        _tensors("(8, 16)", "(4, 32)"),
        """
pypto.set_vec_tile_shapes(4, 16)
halves = pypto.concat([x[4:, :], x[:4, :]], 0)
out.move(pypto.reshape(halves + 1.0, [4, 32]))
""",
        ((8, 16),),
        lambda x: (np.concatenate([x[4:], x[:4]]) + 1).reshape(4, 32),
    ),
)


@pytest.mark.parametrize("passes", [False, True], ids=["traced", "after passes"])
@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_computes(case: Case, passes: bool) -> None:
    kernel = kernel_of(case.source)
    if passes:
        kernel = run_kernel_passes(kernel, targets.load("a2a3"), until="RemoveUndrivenView")
    generator = np.random.default_rng(7)
    inputs = [generator.standard_normal(shape) for shape in case.shapes]
    expected = case.expected(*inputs)
    *names, output = (raw.name for raw in kernel.parameters)
    arrays = {**dict(zip(names, inputs, strict=True)), output: np.zeros(expected.shape)}
    np.testing.assert_allclose(evaluate(kernel, arrays)[output], expected, rtol=1e-12, atol=1e-12)


def test_elements_steer_the_control_flow() -> None:
    kernel = kernel_of(
        """
        @pypto.frontend.jit
        def kernel(
            x: pypto.Tensor((32, 8), pypto.DT_FP32),
            starts: pypto.Tensor((4,), pypto.DT_INT32),
            out: pypto.Tensor((32, 8), pypto.DT_FP32),
        ):
            pypto.set_vec_tile_shapes(8, 8)
            for i in pypto.loop(4):
                start = starts[i]
                out[i * 8 :, :] = pypto.view(x, [8, 8], [start, 0]) + 1.0
        """
    )
    x, starts = np.random.default_rng(3).standard_normal((32, 8)), np.array([24, 0, 5, 8])
    found = evaluate(kernel, {"x": x, "starts": starts, "out": np.zeros((32, 8))})["out"]
    np.testing.assert_allclose(found, np.concatenate([x[at : at + 8] + 1 for at in starts]))
