"""`concat` (`Cat` in `vector/tensor_transformation.cpp`)."""

from __future__ import annotations

from ...diagnostics.diagnostic import Facts
from ...diagnostics.rules import pt304_concat_mismatch, pt402_mixed_dtypes, pt611_wrong_arguments
from ...dtype import BF16, BY_NAME, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from ...evaluate.values import Value, is_unknown
from ...ir.graph import LogicalTensor
from .. import api
from ..call import Call
from ..errors import Undecided
from ..text import shape_text
from .primitives import like, normalised_axis, result
from .registry import Operation, declare, dtypes
from .structure import assembled

_TYPES = dtypes(
    (INT8, UINT8, INT16, UINT16, INT32, UINT32, FP16, FP32, BF16, BY_NAME["DT_INT64"], BY_NAME["DT_UINT64"])
)


def _concat(call: Call) -> Value:
    operands = _operands(call)
    first = operands[0]
    axis = normalised_axis(call, "dim", first)
    for index, operand in enumerate(operands):
        _check(call, first, operand, index, axis)
    total = sum(size for operand in operands for size in [operand.shape[axis]] if isinstance(size, int))
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    joined = call.tracer.new(shape, first.dtype, format=first.raw.format)
    offset = 0
    for operand in operands:
        place = tuple(offset if at == axis else 0 for at in range(first.rank))
        assembled(call, like(call, "REGISTER_COPY", operand), joined, place, parallel=False)
        size = operand.shape[axis]
        assert isinstance(size, int)
        offset += size
    return result(call, joined)


def _operands(call: Call) -> list[LogicalTensor]:
    from ..tensor import Tensor

    tensors = call.value("tensors")
    if isinstance(tensors, (list, tuple)) and any(is_unknown(tensor) for tensor in tensors):
        raise Undecided
    if not isinstance(tensors, (list, tuple)) or not tensors or not all(isinstance(t, Tensor) for t in tensors):
        call.reject(
            pt611_wrong_arguments.RULE,
            call.place("tensors"),
            call=call.name,
            problem="needs a list of tensors",
            problem_zh="需要张量列表",
            signature=str(api.signature(call.name)),
        )
    return [tensor.read(call.site) for tensor in tensors]


def _check(call: Call, first: LogicalTensor, operand: LogicalTensor, index: int, axis: int) -> None:
    if operand.rank != first.rank or any(
        a != b for at, (a, b) in enumerate(zip(first.shape, operand.shape, strict=False)) if at != axis
    ):
        call.reject(
            pt304_concat_mismatch.RULE,
            facts=Facts(operation="concat"),
            index=index,
            shape=shape_text(operand.shape),
            first=shape_text(first.shape),
            axis=axis,
        )
    if operand.dtype != first.dtype:
        call.reject(pt402_mixed_dtypes.RULE, operation="concat", left=first.dtype, right=operand.dtype)
    if not all(isinstance(size, int) for size in operand.shape):
        raise Undecided


declare(
    Operation(
        "pypto.concat", "joining", _concat, "Join tensors along an axis.", "沿轴拼接张量。",
        shape="that of the first, the axis being the sum", valid_shape="the shape", dtypes=_TYPES,
        opcodes=("REGISTER_COPY", "ASSEMBLE"), rules=("PT304", "PT311", "PT402"),
    )
)  # fmt: skip
