"""Printing and assertions."""

from __future__ import annotations

from ... import scalar
from ...evaluate.values import Unsupported, Value
from ...hardware import Pipe
from ...pto.program import Barrier, If, Print, Return
from ...scalar import ScalarLike
from ..call import Call, family
from ..scalars import is_scalar, lower
from ..tensors import GlobalPointer, Tensor
from ..tiles import Tile


@family("printf")
def printf(call: Call) -> Value:
    template = call.values["format_str"]
    if not isinstance(template, str):
        raise Unsupported("pl.printf(): the format must be a string literal")
    call.tracer.emit(Print(template, tuple(map(_printed, call.values["args"])), call.origin))
    return None


def _printed(value: Value) -> ScalarLike:
    """A scalar, or for `%p` the place of a pointer in its buffer."""
    return value.offset if isinstance(value, GlobalPointer) else lower(value)


@family("pto_assert")
def pto_assert(call: Call) -> Value:
    """Prints where the condition does not hold; the core goes on."""
    condition = call.values["condition"]
    if not is_scalar(condition):
        raise Unsupported("pl.pto_assert(): the condition must be a scalar")
    text = call.values["format_str"] or "assertion failed\n"
    message = Print(text, tuple(map(_printed, call.values["args"])), call.origin)
    failed = scalar.apply("not", lower(condition))
    if failed != 0:
        call.tracer.emit(If(failed, (message,), (), call.origin))
    return None


@family("dump_data")
def dump_data(call: Call) -> Value:
    """Prints a tile or tensor after all pipes have drained."""
    data = call.values["data"]
    if not isinstance(data, (Tile, Tensor)):
        raise Unsupported("pl.dump_data(): 'data' must be a tile or a tensor")
    call.tracer.emit(Barrier(Pipe.ALL, call.origin))
    operand = data.operand() if isinstance(data, Tile) else data.whole()
    call.tracer.emit(Print("%s\n", (operand,), call.origin))
    return None


@family("trap")
def trap(call: Call) -> Value:
    call.tracer.emit(Return(call.origin))
    return None
