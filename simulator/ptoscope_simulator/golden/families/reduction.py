"""Reductions along one axis, which stays with extent one, and running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..registry import Array, Function, GoldenContext, golden

_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "SUM": np.sum, "MAX": np.max, "MIN": np.min, "PROD": np.prod,
}  # fmt: skip


def _reduction(function: Callable[..., Any]) -> Function:
    return lambda context, value: function(value, axis=int(context.attribute("op_attr_AXIS")), keepdims=True)


for _name, _function in _REDUCTIONS.items():
    golden(f"ROW{_name}_SINGLE", f"ROW{_name}LINE")(_reduction(_function))


def _index_of(function: Callable[..., Any], with_value: bool) -> Function:
    def apply(context: GoldenContext, value: Array) -> Any:
        axis = int(context.attribute("op_attr_AXIS"))
        index = np.expand_dims(function(value, axis=axis), axis)
        return (np.take_along_axis(value, index, axis), index) if with_value else index

    return apply


for _name, _function in (("MAX", np.argmax), ("MIN", np.argmin)):
    golden(f"ROWARG{_name}_SINGLE")(_index_of(_function, False))
    golden(f"ROWARG{_name}WITHVALUE_SINGLE", f"ROWARG{_name}WITHVALUE_LINE")(_index_of(_function, True))


@golden("CUM_SUM")
def running_sum(context: GoldenContext, value: Array) -> Any:
    return np.cumsum(value, axis=int(context.attribute("op_attr_axis")))


@golden("CUM_PROD")
def running_product(context: GoldenContext, value: Array) -> Any:
    return np.cumprod(value, axis=int(context.attribute("op_attr_axis")))


@golden("REDUCE_ACC")
def accumulate(context: GoldenContext, *values: Array) -> Any:
    return sum(values[1:], start=values[0])
