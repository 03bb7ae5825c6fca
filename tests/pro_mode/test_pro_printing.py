"""What kernels print."""

import numpy as np
from pro_tracing import run


def test_printf_substitutes_scalars():
    text = """
    @pl.jit
    def kernel(n: pl.DT_INT64, out: pl.Tensor[[1], pl.DT_INT32]):
        with pl.section_vector():
            pl.printf("n is %d, half of it %f\\n", n, n / 2)
            pl.pto_assert(n > 10, "n is small: %d\\n", n)
    """
    lines = []
    run(text, {"out": np.zeros(1, np.int32)}, {"n": 5}, output=lines.append)
    assert "".join(lines).replace("\n", " ").split() == [
        "n",
        "is",
        "5,",
        "half",
        "of",
        "it",
        "2.500000",
        "n",
        "is",
        "small:",
        "5",
    ]
