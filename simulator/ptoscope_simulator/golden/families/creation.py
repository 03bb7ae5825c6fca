"""Tensors from nothing: constants, ranges and one-hot codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import Array, GoldenContext, golden


@golden("VEC_DUP")
def full(context: GoldenContext) -> Any:
    kind = np.float64 if context.dtype().is_float else np.int64
    return np.full(context.shapes[0], context.scalar, kind)


@golden("RANGE")
def arange(context: GoldenContext) -> Any:
    start, step = context.attribute("op_attr_START", 0), context.attribute("op_attr_STEP", 1)
    return start + step * np.arange(context.shapes[0][0])


@golden("ONEHOT")
def one_hot(context: GoldenContext, value: Array) -> Any:
    classes = int(context.attribute("op_attr_numClasses", context.shapes[0][-1]))
    return (value[..., None] == np.arange(classes)).astype(np.int64)
