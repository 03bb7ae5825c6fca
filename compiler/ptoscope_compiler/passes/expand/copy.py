"""REGISTER_COPY and REDUCE_ACC, tile by tile over the result.

Source: `TiledInnerRegisterCopy` and `TiledReduceAcc` in `framework/src/interface/operation/operation_impl.cpp` of
hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from ..windows import Window
from .registry import Expansion, blocks, expands, extents, tile_of


@expands("REGISTER_COPY", "REDUCE_ACC")
def copy(expansion: Expansion, operation: Operation) -> None:
    result = operation.outputs[0]
    for shape, offset in blocks(extents(result), tile_of(operation, result.rank)):
        parts = [Window(tensor, shape, offset) for tensor in operation.inputs]
        expansion.emit(operation.opcode, parts, (Window(result, shape, offset),))
