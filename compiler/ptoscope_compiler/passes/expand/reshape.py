"""RESHAPE stays one operation here; SplitReshape cuts it later.

Source: `TiledInnerReshape` in `framework/src/interface/operation/operation_impl.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from .registry import Expansion, expands


@expands("RESHAPE")
def reshape(expansion: Expansion, operation: Operation) -> None:
    details = {**operation.attributes, "op_attr_validShape": operation.outputs[0].valid_shape}
    expansion.emit("RESHAPE", operation.inputs, operation.outputs, details)
