"""Sorting: the largest elements, and full orders. Equal elements keep their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import Array, GoldenContext, golden


def _order(value: Array, axis: int, descending: bool) -> Array:
    return np.argsort(-value if descending else value, axis=axis, kind="stable")


@golden("TOPK", "RADIX_SELECT")
def top_k(context: GoldenContext, value: Array) -> Any:
    axis = int(context.attribute("op_attr_axis", -1))
    order = _order(value, axis, bool(context.attribute("op_attr_order", 1)))
    order = np.take(order, np.arange(int(context.attribute("op_attr_kvalue"))), axis=axis)
    return np.take_along_axis(value, order, axis), order


@golden("SORT", "SORTUB")
def sort(context: GoldenContext, value: Array) -> Any:
    axis = int(context.attribute("op_attr_axis", -1))
    order = _order(value, axis, bool(context.attribute("op_attr_order", 0)))
    return np.take_along_axis(value, order, axis), order


@golden("ARGSORT")
def arg_sort(context: GoldenContext, value: Array) -> Any:
    order = _order(value, int(context.attribute("op_attr_axis", -1)), bool(context.attribute("op_attr_order", 0)))
    return order if len(context.shapes) == 1 else (np.take_along_axis(value, order, -1), order)
