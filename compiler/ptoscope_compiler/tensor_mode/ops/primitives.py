"""Steps that many operations share: checks of an operand, and the operations that the framework adds of itself.

Checks follow `framework/src/interface/operation/operation_common.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...diagnostics.diagnostic import Facts
from ...diagnostics.rules import (
    pt301_shapes_do_not_broadcast,
    pt302_unsupported_rank,
    pt311_axis_out_of_range,
    pt312_dynamic_operand,
    pt401_unsupported_dtype,
    pt402_mixed_dtypes,
    pt403_float_with_integer_tensor,
    pt405_unsupported_format,
    pt406_unsupported_on_target,
)
from ...dtype import BF16, FP16, FP32, DType, Kind
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ...scalar import ScalarLike, known, text
from ..element import Element
from ..text import dtypes_text, shape_text

if TYPE_CHECKING:
    from ..call import Call
    from .registry import DTypes

FLOATS = (FP16, BF16, FP32)
CAST_NONE, CAST_TRUNC = 0, 5
SATURATE, WRAP = 0, 1
INTRINSIC, HIGH_PRECISION = 0, 1


def result(call: Call, tensor: LogicalTensor) -> Value:
    """A logical tensor as a value of the kernel."""
    from ..tensor import Tensor

    return Tensor(call.session, call.tracer, tensor, created=call.origin)


def emit(
    call: Call,
    opcode: str,
    inputs: Iterable[LogicalTensor],
    shape: Sequence[ScalarLike],
    dtype: DType,
    valid_shape: Sequence[ScalarLike],
    attributes: Mapping[str, Any] | None = None,
    format: str = "ND",
) -> LogicalTensor:
    """Record an operation that makes one new tensor."""
    output = call.tracer.new(shape, dtype, valid_shape, format=format)
    call.tracer.emit(opcode, inputs, output, call.origin, attributes)
    return output


def like(
    call: Call,
    opcode: str,
    operand: LogicalTensor,
    dtype: DType | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> LogicalTensor:
    """Record an operation on one tensor whose result has its shape."""
    return emit(call, opcode, (operand,), operand.shape, dtype or operand.dtype, operand.valid_shape, attributes)


def cast(
    call: Call, operand: LogicalTensor, dtype: DType, mode: int = CAST_NONE, saturation: int = WRAP
) -> LogicalTensor:
    """Record a conversion."""
    return like(call, "CAST", operand, dtype, {"op_attr_mode": mode, "op_attr_satmode": saturation})


def reshaped(
    call: Call, operand: LogicalTensor, shape: Sequence[ScalarLike], valid_shape: Sequence[ScalarLike] | None = None
) -> LogicalTensor:
    """Record a RESHAPE."""
    attributes = {"reshape": tuple(shape)}
    valid = shape if valid_shape is None else valid_shape
    return emit(call, "RESHAPE", (operand,), shape, operand.dtype, valid, attributes, operand.raw.format)


def filled(
    call: Call,
    shape: Sequence[ScalarLike],
    dtype: DType,
    value: int | float,
    valid_shape: Sequence[ScalarLike] | None = None,
) -> LogicalTensor:
    """Record a VEC_DUP of a constant."""
    valid = tuple(shape if valid_shape is None else valid_shape)
    attributes = {"SCALAR": as_element(value, dtype), "op_attr_shape": tuple(shape), "op_attr_validShape": valid}
    return emit(call, "VEC_DUP", (), shape, dtype, valid, attributes)


def as_element(value: int | float, dtype: DType) -> int | float:
    """A constant as an element of `dtype` holds it: whole numbers wrap, as the front end does with numpy."""
    if dtype.is_float:
        return float(value)
    if not dtype.is_integer or not isinstance(value, int):
        return int(value)
    wrapped = int(value) & ((1 << dtype.bits) - 1)
    signed = dtype.kind is Kind.SIGNED
    return wrapped - (1 << dtype.bits) if signed and wrapped >> (dtype.bits - 1) else wrapped


def check_operand(
    call: Call, parameter: str, supported: DTypes | None, ranks: tuple[int, int] = (1, 4), formats: bool = True
) -> LogicalTensor:
    """The storage of a tensor argument of the right type, rank and format, all of whose axes have known sizes."""
    tensor = call.read(parameter)
    if supported is not None:
        check_dtype(call, parameter, tensor, supported)
    check_rank(call, parameter, tensor, ranks)
    if formats and tensor.raw.format == "NZ":
        call.reject(pt405_unsupported_format.RULE, call.place(parameter), operation=call.operation)
    for axis, size in enumerate(tensor.shape):
        if not known(size):
            call.reject(
                pt312_dynamic_operand.RULE,
                call.place(parameter),
                operation=call.operation,
                axis=axis,
                size=text(size),
            )
    return tensor


def check_dtype(call: Call, parameter: str, tensor: LogicalTensor, supported: DTypes) -> None:
    target = call.tracer.target
    allowed = supported.on(target.arch)
    if tensor.dtype not in allowed:
        suggestion = FP32 if FP32 in allowed else sorted(allowed, key=str)[0]
        call.reject(
            pt401_unsupported_dtype.RULE,
            call.place(parameter),
            facts=Facts(operation=call.operation, buffer=parameter),
            operation=call.operation,
            dtype=tensor.dtype,
            target=target.name,
            supported=dtypes_text(allowed),
            suggestion=suggestion,
        )


def check_rank(call: Call, parameter: str, tensor: LogicalTensor, ranks: tuple[int, int]) -> None:
    least, most = ranks
    if not least <= tensor.rank <= most:
        call.reject(
            pt302_unsupported_rank.RULE,
            call.place(parameter),
            operation=call.operation,
            rank=tensor.rank,
            shape=shape_text(tensor.shape),
            least=least,
            most=most,
        )


def check_same_dtype(call: Call, left: LogicalTensor, right: LogicalTensor, parameter: str) -> None:
    """`right`, the argument `parameter`, must have the type of `left`."""
    if left.dtype != right.dtype:
        from ..fixes import cast_argument

        call.reject(
            pt402_mixed_dtypes.RULE,
            facts=Facts(operation=call.operation, buffer=parameter),
            fixes=cast_argument(call, left.dtype, right.dtype),
            operation=call.operation,
            left=left.dtype,
            right=right.dtype,
        )


def check_scalar(call: Call, parameter: str, dtype: DType) -> int | float:
    """A constant operand as an element of `dtype`; no float with an integer tensor."""
    value = call.value(parameter)
    if isinstance(value, Element):
        return value.value
    number = call.number(parameter)
    if isinstance(number, float) and not dtype.is_float:
        call.reject(
            pt403_float_with_integer_tensor.RULE,
            call.place(parameter),
            operation=call.operation,
            value=number,
            dtype=dtype,
        )
    return as_element(number, dtype)


def check_target(call: Call, architectures: Mapping[str, str]) -> None:
    """The operation must exist on the target; `architectures` names those that have it."""
    if call.tracer.target.arch not in architectures:
        supported = ", ".join(architectures.values())
        rule = pt406_unsupported_on_target.RULE
        call.reject(rule, operation=call.operation, target=call.tracer.target.name, supported=supported)


def normalised_axis(call: Call, parameter: str, tensor: LogicalTensor, extra: int = 0) -> int:
    """An axis argument counted from the front; `extra` is 1 where it may also lie behind the last axis."""
    axis = call.integer(parameter)
    rank = tensor.rank + extra
    if not -rank <= axis < rank:
        call.reject(
            pt311_axis_out_of_range.RULE,
            call.place(parameter),
            operation=call.operation,
            axis=axis,
            rank=tensor.rank,
            shape=shape_text(tensor.shape),
            least=-rank,
            most=rank - 1,
        )
    return axis % rank


def match_ranks(call: Call, *operands: LogicalTensor) -> list[LogicalTensor]:
    """The operands with leading axes of size 1 added by RESHAPE, so that all have one rank."""
    rank = max(operand.rank for operand in operands)
    return [
        operand if operand.rank == rank else reshaped(call, operand, (*(1,) * (rank - operand.rank), *operand.shape))
        for operand in operands
    ]


def broadcast_shape(call: Call, left: LogicalTensor, right: LogicalTensor) -> tuple[tuple[int, ...], list[ScalarLike]]:
    """Shape and valid shape of the result of two operands of one rank and known sizes."""
    shape: list[int] = []
    valid: list[ScalarLike] = []
    for axis, (a, b) in enumerate(zip(left.shape, right.shape, strict=False)):
        assert isinstance(a, int) and isinstance(b, int)
        if a != b and 1 not in (a, b):
            call.reject(
                pt301_shapes_do_not_broadcast.RULE,
                facts=Facts(operation=call.operation),
                operation=call.operation,
                left=shape_text(left.shape),
                right=shape_text(right.shape),
                axis=axis,
                left_size=a,
                right_size=b,
            )
        size = max(a, b)
        shape.append(size)
        valid.append(left.valid_shape[axis] if size == a else right.valid_shape[axis])
    return tuple(shape), valid


def sizes(tensor: LogicalTensor) -> tuple[int, ...]:
    """The shape of a tensor whose axes are all known."""
    return tuple(int(size) for size in tensor.shape if isinstance(size, int))
