"""Windows, reshapes, transposes and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...numerics import numpy_dtype
from ..registry import Array, GoldenContext, golden
from .elementwise import common


def _offset(context: GoldenContext, rank: int) -> tuple[int, ...]:
    offset = context.attributes.get("offset")
    return (0,) * rank if offset is None else tuple(int(start) for start in offset)


@golden("VIEW", "SLICE", whole=True)
def view(context: GoldenContext, value: Array) -> Array:
    """The part from attribute `offset` on, as large as the result's valid shape."""
    starts = _offset(context, value.ndim)
    return value[tuple(slice(start, start + size) for start, size in zip(starts, context.valid[0], strict=True))]


@golden("ASSEMBLE", "ASSEMBLE_SSA", "CONTRACT")
def assemble(context: GoldenContext, value: Array, *others: Array) -> Array:
    """The value, placed at attribute `offset` of the result; everything else stays."""
    context.corner = _offset(context, value.ndim)
    return value


@golden("ATOMIC_RMW")
def atomic_add(context: GoldenContext, value: Array, *others: Array) -> Any:
    context.corner = _offset(context, value.ndim)
    place = tuple(slice(start, start + size) for start, size in zip(context.corner, value.shape, strict=True))
    return context.previous[place] + value


@golden("RESHAPE", whole=True)
def reshape(context: GoldenContext, value: Array) -> Array:
    return value.reshape(context.shapes[0])


@golden("REGISTER_COPY", "CONVERT", "DUPLICATE")
def copy(context: GoldenContext, value: Array) -> Array:
    return value


@golden("TRANSPOSE_VNCHWCONV", "TRANSPOSE_MOVEOUT", "TRANSPOSE_MOVEIN")
def transpose(context: GoldenContext, value: Array) -> Any:
    """Attribute `op_attr_shape` names the two axes to swap."""
    first, second = context.attributes["op_attr_shape"]
    return value.swapaxes(int(first), int(second))


@golden("PERMUTE", "PERMUTE_ELEMENT")
def permute(context: GoldenContext, value: Array) -> Any:
    return value.transpose([int(axis) for axis in context.attributes["perm"]])


@golden("EXPAND")
def expand(context: GoldenContext, value: Array) -> Array:
    """Axes of extent one repeat up to the result's valid shape."""
    return np.broadcast_to(value, tuple(b if a == 1 else a for a, b in zip(value.shape, context.valid[0], strict=True)))


@golden("VIEW_TYPE", whole=True)
def reinterpret(context: GoldenContext, value: Array) -> Any:
    """The same bytes under another element type."""
    stored = np.ascontiguousarray(value).astype(numpy_dtype(context.input_dtype()))
    return stored.view(numpy_dtype(context.dtype())).reshape(context.shapes[0])


@golden("CONCAT")
def concatenate(context: GoldenContext, *values: Array) -> Any:
    return np.concatenate(values, axis=int(context.attribute("op_attr_axis", 0)))


@golden("PAD", "FILLPAD")
def pad(context: GoldenContext, value: Array) -> Array:
    """The value, and the scalar in every other element of the result."""
    result = np.full(context.shapes[0], context.scalar, value.dtype)
    result[tuple(map(slice, value.shape))] = value
    return result


@golden("TRIUL")
def triangle(context: GoldenContext, value: Array) -> Any:
    return (np.triu if context.attribute("is_upper", True) else np.tril)(value, int(context.scalar))


@golden("INTERLEAVE")
def interleave(context: GoldenContext, first: Array, second: Array) -> Any:
    left, right = common(first, second)
    woven = np.stack((left, right), axis=-1).reshape(*left.shape[:-1], -1)
    return woven if len(context.shapes) == 1 else tuple(np.split(woven, 2, axis=-1))


@golden("DEINTERLEAVE", "DEINTERLEAVE_SINGLE")
def deinterleave(context: GoldenContext, *values: Array) -> Any:
    joined = np.concatenate(values, axis=-1)
    return joined[..., 0::2], joined[..., 1::2]
