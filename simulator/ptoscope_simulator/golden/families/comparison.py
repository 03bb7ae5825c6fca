"""Comparisons, selections and their conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import Array, GoldenContext, golden, plain
from .elementwise import common

_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
_BIT_MODE = 1


def _compared(context: GoldenContext, left: Array, right: Any) -> Array:
    operation = _COMPARISONS[int(context.attribute("op_attr_cmp_operation", 0))]
    result: Array = operation(left, right)
    if int(context.attribute("op_attr_cmp_mode", 0)) == _BIT_MODE:
        return np.packbits(result, axis=-1, bitorder="little").astype(np.int64)
    return result


@golden("CMP")
def compare(context: GoldenContext, left: Array, right: Array) -> Array:
    """Attribute `op_attr_cmp_operation` counts EQ, NE, LT, LE, GT, GE; in bit mode eight results share an element."""
    return _compared(context, *common(left, right))


@golden("CMPS")
def compare_scalar(context: GoldenContext, value: Array) -> Array:
    return _compared(context, value, context.scalar)


def _condition(context: GoldenContext, condition: Array) -> Array:
    if int(context.attribute("op_attr_whereBitMode", 0)) != _BIT_MODE and context.input_dtype(0).name != "DT_UINT8":
        return condition.astype(bool)
    bits = np.unpackbits(condition.astype(np.uint8), axis=-1, bitorder="little")
    return bits[..., : context.valid[0][-1]].astype(bool)


@golden("WHERE_TT")
def where(context: GoldenContext, condition: Array, value: Array, other: Array) -> Any:
    return np.where(_condition(context, condition), value, other)


@golden("WHERE_TS")
def where_else_scalar(context: GoldenContext, condition: Array, value: Array) -> Any:
    return np.where(_condition(context, condition), value, context.scalar)


@golden("WHERE_ST")
def where_scalar(context: GoldenContext, condition: Array, other: Array) -> Any:
    return np.where(_condition(context, condition), context.scalar, other)


@golden("WHERE_SS")
def where_scalars(context: GoldenContext, condition: Array) -> Any:
    value, other = (plain(scalar) for scalar in context.attributes["VECTORSCALAR"])
    return np.where(_condition(context, condition), value, other)
