"""Gathering by index or comparison, and histograms."""

from __future__ import annotations

from ...evaluate.values import Value
from ...hardware import Pipe
from ..call import Call, family

_COMPARISONS = {0: "EQ", 4: "GT"}


@family("gather")
def gather(call: Call) -> Value:
    """TGATHER by index; with `cmp_mode`, the columns that compare with a threshold, and their number."""
    source = call.tile("src").operand()
    outputs = [call.tile("out").operand()]
    inputs = [source, call.operand("idx")]
    mode = call.values["cmp_mode"]
    if mode is not None:
        outputs.append(call.tile("tmp").operand())
        with call.held(Pipe.V):
            call.emit(
                "TGATHER", Pipe.V, outputs, inputs, compare=_COMPARISONS.get(mode, "EQ"), offset=call.values["offset"]
            )
        return None
    with call.held(Pipe.V):
        call.emit("TGATHER", Pipe.V, outputs, inputs)
    return None


@family("histogram")
def histogram(call: Call) -> Value:
    """THISTOGRAM of the most or least significant byte."""
    source = call.tile("src")
    byte = source.type.dtype.bytes - 1 if call.values["is_msb"] else 0
    inputs = (source.operand(), call.tile("idx").operand())
    with call.held(Pipe.V):
        call.emit("THISTOGRAM", Pipe.V, (call.tile("dst").operand(),), inputs, byte=byte)
    return None
