"""CAST, tile by tile; some conversions without saturation need scratch.

Source: `TiledCastOperation` in `framework/src/interface/operation/vector/tensor_transformation.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...dtype import FP16, FP32, INT8, INT16, INT32
from ...ir.graph import Operation
from ..windows import Window
from .registry import Expansion, Operand, align, blocks, expands, extents, tile_of

_WRAPPING = {(FP32, INT16), (FP16, INT16), (FP16, INT8)}
_MAX_REPEAT = 255


@expands("CAST")
def cast(expansion: Expansion, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    scratch = (source.dtype, result.dtype) in _WRAPPING and operation.attribute("op_attr_satmode", 1) == 1
    for shape, offset in blocks(extents(source), tile_of(operation, source.rank)):
        outputs: list[Operand] = [Window(result, shape, offset)]
        if scratch:
            rows = min(shape[-2], _MAX_REPEAT) if len(shape) >= 2 else 1
            outputs.append(expansion.temporary((rows, align(shape[-1] + 64, 8)), INT32))
        expansion.emit("CAST", (Window(source, shape, offset),), outputs)
