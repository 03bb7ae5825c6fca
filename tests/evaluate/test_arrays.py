"""Abstract arrays have the shapes and element types that torch and numpy give."""

from __future__ import annotations

from typing import Any

import pytest
from evaluation import program
from ptoscope_compiler.evaluate.arrays.array import AbstractArray

torch = pytest.importorskip("torch")

EXPRESSIONS = [
    "a @ b",
    "a + 1",
    "a + 1.5",
    "i + 1.5",
    "i / i",
    "i // 2",
    "a > 0",
    "-a",
    "a * i",
    "a + a.bfloat16()",
    "2.0 - a",
    "a[0]",
    "a[None, 1:, ::2]",
    "a[..., 0]",
    "a[-2:]",
    "a.T",
    "a.t().contiguous()",
    "a.reshape(2, -1)",
    "a.view([-1])",
    "m.permute(2, 0, 1)",
    "m.transpose(0, -1)",
    "a.unsqueeze(0).squeeze()",
    "a.unsqueeze(-1)",
    "a[:1].expand(5, -1)",
    "a.repeat(2, 1, 1)",
    "m.flatten(1)",
    "a.to(torch.int8)",
    "a.to('cpu').to(a.dtype)",
    "a.half().float().double().int().long().bool()",
    "a.sum()",
    "a.sum(-1)",
    "a.sum(dim=0, keepdim=True)",
    "torch.mean(m, dim=[0, 2])",
    "m.amax(dim=1)",
    "a.max(dim=1).values",
    "a.max(dim=1)[0]",
    "torch.max(a, dim=1, keepdim=True)[1]",
    "a.max()",
    "a.argmax(dim=0)",
    "(a == 0).all()",
    "torch.softmax(a, dim=-1)",
    "torch.exp(i)",
    "torch.maximum(a, a)",
    "torch.clamp(a, min=0.0)",
    "torch.cat([a, a], dim=1)",
    "torch.stack([a, a, a], dim=-1)",
    "torch.where(a > 0, a, 0.0)",
    "torch.matmul(m, torch.ones(4, 6))",
    "m.split(1, dim=0)[1]",
    "torch.split(m, [1, 2], dim=1)[1]",
    "m.chunk(2, dim=-1)[0]",
    "m.topk(2, dim=-1)[1]",
    "a.sort()[0]",
    "torch.zeros(2, 3)",
    "torch.zeros((2, 3), dtype=torch.int32)",
    "torch.empty(a.shape, dtype=torch.bfloat16)",
    "torch.ones([4])",
    "torch.full((2, 2), 7)",
    "torch.full((2, 2), 7.0, dtype=torch.float16)",
    "torch.rand(3)",
    "torch.randn((2, 1), dtype=torch.float16)",
    "torch.randint(0, 5, (2, 3))",
    "torch.randint(5, (2,), dtype=torch.int8)",
    "torch.arange(7)",
    "torch.arange(1, 8, 3)",
    "torch.arange(0, 1, 0.25)",
    "torch.linspace(0, 1, 5)",
    "torch.eye(3)",
    "torch.randperm(6)",
    "torch.zeros_like(a, dtype=torch.int16)",
    "torch.tensor([[1, 2], [3, 4]])",
    "torch.tensor([1.0, 2.0], dtype=torch.float16)",
    "torch.tensor([True, False])",
    "a.new_zeros(2, 2)",
    "torch.from_numpy(np.zeros((2, 3)))",
    "np.zeros((2, 3), dtype=np.float32)",
    "np.zeros((2, 3)).astype(np.int8)",
    "np.ones(4)",
    "np.full((2,), 3)",
    "np.arange(5)",
    "np.array([[1, 2, 3]])",
    "np.random.uniform(-1, 1, [2, 3])",
    "np.random.randn(2, 3).astype('float32')",
    "np.random.randint(0, 9, size=(4,))",
    "np.sum(np.ones((2, 3)), axis=0)",
    "np.ones((2, 3)).transpose(1, 0)",
    "np.matmul(np.ones((2, 3)), np.ones((3, 5)))",
]
SETTING = """
import torch
import numpy as np
def f():
    a, b, i = torch.randn(4, 6), torch.randn(6, 3), torch.randint(0, 9, (4, 6), dtype=torch.int32)
    m = torch.randn(2, 3, 4)
    return {expression}
"""


def facts(value: Any) -> Any:
    if isinstance(value, AbstractArray):
        return value.shape, value.dtype and value.dtype.name
    return tuple(value.shape), str(value.dtype).removeprefix("torch.")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_array_has_the_facts_of_the_real_one(expression: str) -> None:
    text = SETTING.format(expression=expression)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    workspace = program(text)
    assert facts(workspace.call("f")) == facts(namespace["f"]())
    assert workspace.findings == []


def test_shapes_stay_exact_beside_a_dimension_that_is_not_known() -> None:
    workspace = program("import torch\ndef f(n):\n    x = torch.zeros(n, 8).half()\n    return x[:, 1:].t()")
    from ptoscope_compiler.evaluate.values import Unknown

    assert workspace.call("f", Unknown()).describe() == "Tensor[[7, ?], float16]"


def test_the_truth_of_an_array_is_not_known_and_no_error() -> None:
    workspace = program(
        "import torch\ndef f():\n    x = torch.ones(2)\n    assert x.all()\n    return 1 if x[0] else 1"
    )
    assert workspace.call("f") == 1
    assert workspace.findings == []


def test_modules_call_their_forward_compiled_or_not() -> None:
    workspace = program(
        """
        import torch
        class Net(torch.nn.Module):
            def __init__(self, scale):
                super().__init__()
                self.scale = scale
            def forward(self, x): return x.half() * self.scale, self.training
        def f():
            net = torch.compile(Net(2), dynamic=True)
            return net(torch.ones(3))
        """
    )
    value, training = workspace.call("f")
    assert value.describe() == "Tensor[[3], float16]"
    assert type(training).__name__ == "_Unknown"
    assert workspace.findings == []
