"""How shapes and types read in messages."""

from __future__ import annotations

from collections.abc import Iterable

from ..dtype import DType
from ..scalar import ScalarLike, text


def shape_text(shape: Iterable[ScalarLike]) -> str:
    """`(64, 32)`."""
    sizes = [text(size) for size in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def dtypes_text(dtypes: Iterable[DType]) -> str:
    """`DT_FP16, DT_FP32`."""
    return ", ".join(sorted(str(dtype) for dtype in dtypes))
