"""Gathering, merging, histograms and quantisation."""

from __future__ import annotations

from ...evaluate.values import Value
from ...hardware import Pipe
from ..call import Call, family
from ..tiles import Tile

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


@family("mrgsort2")
def mrgsort2(call: Call) -> Value:
    """TMRGSORT of two to four lists.

    Arguments reach the instruction by position: the first is written and the third is scratch, whatever their names
    (`framework/src/interface/ir/op/block_ops/sort.cpp` of hicann/pypto).
    """
    tiles = [call.tile("src0"), call.tile("src1"), call.tile("tmp")]
    tiles.extend(tile for tile in call.values["args"] if isinstance(tile, Tile))
    target, *sources = (tile.operand() for tile in tiles)
    exhausted = True if call.values["exhausted"] else None
    with call.held(Pipe.V):
        call.emit("TMRGSORT", Pipe.V, (target,), sources, exhausted=exhausted)
    return None


@family("quant")
def quant(call: Call) -> Value:
    """TQUANT to int8, or with an offset to uint8."""
    names = ["src", "scale", *(["offset"] if call.values["offset"] is not None else [])]
    kind = f"INT8_{call.member('mode') or 'SYM'}"
    with call.held(Pipe.V):
        call.emit("TQUANT", Pipe.V, (call.tile("out").operand(),), [call.operand(name) for name in names], quant=kind)
    return None
