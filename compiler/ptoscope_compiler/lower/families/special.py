"""Functions without an instruction of their own, as the polynomial sequences of the public tile operations.

The scratch tile of the operation holds the intermediate results. Coefficients:
`framework/src/interface/tileop/vector/unary.h` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...hardware import Pipe
from ...ir.graph import LogicalTensor, Operation
from ...pto.operands import Operand, Tile
from ...pto.program import Barrier
from ..registry import Stream, lowers

_SMALLEST = 2.168404344971009e-19
_ERFC_LIMIT = 10.0
_ERFC_NUMERATOR = (
    0.1735313680e-7, -0.9856738394e-6, 0.2517003236e-4, -0.3848015171e-3, 0.5681528564, 5.245623129, 21.07740710,
    42.12761755, 43.80524149,
)  # fmt: skip
_ERFC_DENOMINATOR = (1.0, 9.349684299, 37.56930664, 80.58268949, 91.55653738, 43.80524152)


class _Sequence:
    """Vector instructions of one operation, each behind the one before."""

    def __init__(self, stream: Stream, operation: Operation) -> None:
        self._stream, self._operation = stream, operation

    def __call__(self, opcode: str, result: LogicalTensor | Operand, *inputs: LogicalTensor | Operand) -> None:
        self._stream.emit(self._operation, opcode, (result,), inputs, Pipe.V)
        self._stream.body.append(Barrier(Pipe.V, self._operation.origin))

    def polynomial(self, result: Tile, argument: Tile, coefficients: Sequence[float]) -> None:
        """`result` = the polynomial of `argument`, highest coefficient first, by Horner's rule."""
        first, *rest = coefficients
        self("TMULS", result, argument, first)
        for position, coefficient in enumerate(rest):
            if position:
                self("TMUL", result, result, argument)
            self("TADDS", result, result, coefficient)


def scratch_tiles(like: Tile, scratch: Tile, count: int) -> list[Tile]:
    """`count` tiles like `like`, one behind the other in `scratch`."""
    assert isinstance(scratch.address, int)
    size = like.type.bytes
    return [replace(like, address=scratch.address + index * size, name="tmp") for index in range(count)]


def _complement(stream: Stream, operation: Operation) -> tuple[_Sequence, Tile]:
    """The result tile holds erfc(x) after the sequence."""
    result = stream.operand(operation.outputs[0])
    scratch = stream.operand(operation.outputs[1])
    assert isinstance(result, Tile) and isinstance(scratch, Tile)
    magnitude, ratio, numerator = scratch_tiles(result, scratch, 3)
    step = _Sequence(stream, operation)
    step("TMINS", result, operation.inputs[0], _ERFC_LIMIT)
    step("TMAXS", result, result, -_ERFC_LIMIT)
    step("TABS", magnitude, result)
    step("TADDS", magnitude, magnitude, _SMALLEST)
    step("TDIV", result, result, magnitude)
    step.polynomial(numerator, magnitude, _ERFC_NUMERATOR)
    step.polynomial(ratio, magnitude, _ERFC_DENOMINATOR)
    step("TDIV", ratio, numerator, ratio)
    step("TMUL", magnitude, magnitude, magnitude)
    step("TMULS", magnitude, magnitude, -1.0)
    step("TEXP", magnitude, magnitude)
    step("TMUL", ratio, magnitude, ratio)
    step("TMULS", numerator, result, -1.0)
    step("TADDS", numerator, numerator, 1.0)
    step("TMUL", ratio, ratio, result)
    step("TADD", result, ratio, numerator)
    return step, result


@lowers("ERFC")
def complementary_error_function(stream: Stream, operation: Operation) -> None:
    _complement(stream, operation)


@lowers("ERF")
def error_function(stream: Stream, operation: Operation) -> None:
    """1 - erfc(x)."""
    step, result = _complement(stream, operation)
    step("TSUBS", result, 1.0, result)


@lowers("TANH")
def hyperbolic_tangent(stream: Stream, operation: Operation) -> None:
    """1 - 2 / (exp(2 x) + 1)."""
    result, step = operation.outputs[0], _Sequence(stream, operation)
    step("TMULS", result, operation.inputs[0], 2.0)
    step("TEXP", result, result)
    step("TADDS", result, result, 1.0)
    step("TDIVS", result, 2.0, result)
    step("TSUBS", result, 1.0, result)


@lowers("EXPM1")
def exponential_minus_one(stream: Stream, operation: Operation) -> None:
    result, step = operation.outputs[0], _Sequence(stream, operation)
    step("TEXP", result, operation.inputs[0])
    step("TSUBS", result, result, 1.0)


@lowers("LOG1P")
def logarithm_of_one_plus(stream: Stream, operation: Operation) -> None:
    result, step = operation.outputs[0], _Sequence(stream, operation)
    step("TADDS", result, operation.inputs[0], 1.0)
    step("TLOG", result, result)
