"""TRIUL: the part of a matrix above or below a diagonal; each tile counts the diagonal from its own corner.

Source: `InnerTiledTriUL` in `framework/src/interface/operation/vector/math.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from ...scalar import add
from ..windows import Window
from .registry import Expansion, blocks, expands, extents, tile_of


@expands("TRIUL")
def triangle(expansion: Expansion, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    for shape, offset in blocks(extents(result), tile_of(operation, result.rank)):
        diagonal = add(operation.attribute("DYN_SCALAR", 0), offset[-2] - offset[-1])
        details = {**operation.attributes, "DYN_SCALAR": diagonal}
        expansion.emit("TRIUL", (Window(source, shape, offset),), (Window(result, shape, offset),), details)
