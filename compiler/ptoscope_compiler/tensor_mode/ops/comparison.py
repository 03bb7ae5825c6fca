"""Comparisons (`vector/compare.cpp`)."""

from __future__ import annotations

from ...dtype import BOOL, FP16, FP32, INT16
from ...evaluate.values import Value
from ..call import Call
from .binary import combine, names_of, with_scalar
from .primitives import check_operand, check_same_dtype, check_scalar, result
from .registry import Operation, declare, dtypes

_TYPES = dtypes((FP16, FP32), (FP16, FP32, INT16))
_KINDS = {
    "eq": (0, "Whether equal.", "是否相等。"),
    "ne": (1, "Whether not equal.", "是否不等。"),
    "lt": (2, "Whether less.", "是否小于。"),
    "le": (3, "Whether less or equal.", "是否小于等于。"),
    "gt": (4, "Whether greater.", "是否大于。"),
    "ge": (5, "Whether greater or equal.", "是否大于等于。"),
    "greater": (4, "Whether greater.", "是否大于。"),
}


def _declare(name: str) -> None:
    kind, doc, doc_zh = _KINDS[name]

    def build(call: Call) -> Value:
        first, second = names_of(call)
        left = check_operand(call, first, _TYPES)
        attributes = {"op_attr_cmp_operation": kind, "op_attr_cmp_mode": 0}
        if not call.is_tensor(second):
            value = check_scalar(call, second, left.dtype)
            return result(call, with_scalar(call, "CMPS", left, value, BOOL, attributes))
        right = check_operand(call, second, None)
        check_same_dtype(call, left, right, second)
        return result(call, combine(call, "CMP", left, right, BOOL, attributes))

    declare(
        Operation(
            f"pypto.{name}", "comparison", build, doc, doc_zh,
            shape="the broadcast of both operands", dtypes=_TYPES, opcodes=("CMP", "CMPS"),
            rules=("PT301", "PT302", "PT312", "PT401", "PT402"),
        )
    )  # fmt: skip


for _name in _KINDS:
    _declare(_name)
