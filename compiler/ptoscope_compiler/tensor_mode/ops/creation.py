"""Tensors from constants (`python/pypto/op/creation.py`, `vector/tensor_transformation.cpp`)."""

from __future__ import annotations

import math

from ...dtype import BF16, BOOL, BY_NAME, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, DType
from ...evaluate.values import Value, is_unknown
from ...ir.graph import LogicalTensor
from ...scalar import ScalarLike, known
from ..call import Call
from ..element import Element
from ..errors import Undecided
from ..symbolic import unwrap
from .primitives import emit, filled, result
from .registry import Operation, declare, dtypes

_TYPES = dtypes((FP32, FP16, BF16, INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL))


def _valid_shape(call: Call, shape: tuple[int, ...]) -> tuple[ScalarLike, ...]:
    if not call.value("valid_shape"):
        return shape
    return call.scalars("valid_shape")


def _full(call: Call) -> Value:
    shape, dtype = call.integers("size"), call.dtype("dtype")
    valid = _valid_shape(call, shape)
    value = call.value("fill_value")
    if isinstance(value, Element):
        return result(call, filled(call, shape, dtype, value.value, valid))
    scalar = unwrap(value)
    if scalar is None:
        call.wrong_type("fill_value", "a number, Element or SymbolicScalar", "数、Element 或 SymbolicScalar")
    if known(scalar):
        return result(call, filled(call, shape, dtype, call.number("fill_value"), valid))
    attributes = {"SCALAR": 0, "DYN_SCALAR": scalar, "op_attr_shape": shape, "op_attr_validShape": valid}
    return result(call, emit(call, "VEC_DUP", (), shape, dtype, valid, attributes))


def _constant(name: str, value: int, doc: str, doc_zh: str) -> None:
    def build(call: Call) -> Value:
        size = call.value("size")
        shape = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
        if any(is_unknown(item) or not isinstance(item, int) for item in shape):
            raise Undecided
        dtype = FP32 if call.value("dtype") is None else call.dtype("dtype")
        return result(call, filled(call, tuple(shape), dtype, value))

    declare(
        Operation(
            f"pypto.{name}", "creation", build, doc, doc_zh,
            shape="the sizes given", valid_shape="the shape", dtypes=_TYPES, opcodes=("VEC_DUP",), rules=("PT302",),
        )
    )  # fmt: skip


def _arange(call: Call) -> Value:
    given = call.value("args")
    values = [unwrap(value) for value in given]
    if not 1 <= len(values) <= 3 or not all(isinstance(value, (int, float)) for value in values):
        raise Undecided
    numbers = [value for value in values if isinstance(value, (int, float))]
    start, end, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    dtype: DType = FP32 if any(isinstance(value, float) for value in numbers) else INT32
    count = math.ceil((end - start) / step)
    return result(call, _range(call, count, dtype, start, step))


def _range(call: Call, count: int, dtype: DType, start: int | float, step: int | float) -> LogicalTensor:
    attributes = {"START": start, "STEP": step, "SIZE": count}
    return emit(call, "RANGE", (), (count,), dtype, (count,), attributes)


_constant("zeros", 0, "A tensor of zeros.", "全零张量。")
_constant("ones", 1, "A tensor of ones.", "全一张量。")
declare(
    Operation(
        "pypto.full", "creation", _full, "A tensor of one value.", "以一个值填充的张量。",
        shape="`size`", valid_shape="`valid_shape`, else the shape",
        dtypes=_TYPES, opcodes=("VEC_DUP",), rules=("PT302",),
    )
)  # fmt: skip
declare(
    Operation(
        "pypto.arange", "creation", _arange, "Evenly spaced values.", "等间隔的值。",
        shape="(ceil((end - start) / step),)", valid_shape="the shape",
        dtypes=dtypes((FP16, BF16, INT16, INT32, FP32, BY_NAME["DT_INT64"])), ranks=(1, 1), opcodes=("RANGE",),
    )
)  # fmt: skip
