"""argmax and argmin: each tile along the axis gives a value and an index, which are then compared in pairs.

Source: `TileArgReduce` in `framework/src/interface/operation/vector/reduction.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...dtype import FP32, INT16, INT32
from ...ir.graph import LogicalTensor, Operation
from ..windows import Extents, Window
from .reduce import REPEAT_BYTES, outer_blocks, with_axis
from .registry import Expansion, expands, tile_of

Candidate = tuple[LogicalTensor, LogicalTensor]


def _scratch(shape: Extents, axis: int, bytes_per_element: int) -> Extents:
    if len(shape) == 1:
        return shape
    if axis == len(shape) - 1:
        return shape[axis - 1], shape[axis]
    return 1, REPEAT_BYTES // bytes_per_element * 3


def _candidate(expansion: Expansion, kind: str, tile: Window, axis: int, start: int) -> Candidate:
    """Value and index (counted from the start of the axis) of the extreme element of one tile."""
    dtype = tile.parent.dtype
    index_type = INT32 if dtype is FP32 else INT16
    shape = with_axis(tile.shape, axis, 1)
    valid = (*tile.valid_shape[:axis], 1, *tile.valid_shape[axis + 1 :])
    value = expansion.builder.new(shape, dtype, valid_shape=valid)
    local, index = (expansion.builder.new(shape, index_type, valid_shape=valid) for _ in range(2))
    scratch = expansion.temporary(_scratch(tile.shape, axis, dtype.bytes), dtype)
    form = "SINGLE" if axis == len(shape) - 1 else "LINE"
    expansion.emit(f"ROW{kind}WITHVALUE_{form}", (tile,), (value, local, scratch), {"op_attr_AXIS": axis})
    expansion.emit("ADDS", (local,), (index,), {"SCALAR": start, "op_attr_reverseOperand": False})
    return value, index


def _better(expansion: Expansion, kind: str, left: Candidate, right: Candidate) -> Candidate:
    made = expansion.like(left[0]), expansion.like(left[1])
    expansion.emit(f"PAIR{kind}", (*left, *right), made, {})
    return made


def _deliver(expansion: Expansion, index: LogicalTensor, result: Window) -> None:
    """Write the winning index as the result's type; a 16-bit index passes through FP32."""
    if index.dtype is INT16 and result.parent.dtype is INT32:
        wide = expansion.like(index, FP32)
        details = {"op_attr_mode": 0, "op_attr_satmode": 0}
        expansion.emit("CAST", (index,), (wide,), details)
        expansion.emit("CAST", (wide,), (result,), details)
    else:
        expansion.emit("ADDS", (index,), (result,), {"SCALAR": 0, "op_attr_reverseOperand": False})


@expands("ROWARGMAX_SINGLE", "ROWARGMIN_SINGLE")
def argument_reduce(expansion: Expansion, operation: Operation) -> None:
    kind = operation.opcode.removeprefix("ROW").removesuffix("_SINGLE")
    rank = operation.inputs[0].rank
    axis = operation.attributes["op_attr_AXIS"] % rank
    step = tile_of(operation, rank)[axis]
    for source, result in outer_blocks(operation, axis):
        extent, zeros = source.shape[axis], (0,) * rank
        candidates = []
        for start in range(0, extent, step):
            shape = with_axis(source.shape, axis, min(step, extent - start))
            tile = source.window(shape, with_axis(zeros, axis, start))
            candidates.append(_candidate(expansion, kind, tile, axis, start))
        while len(candidates) > 1:
            pairs = [candidates[i : i + 2] for i in range(0, len(candidates), 2)]
            candidates = [pair[0] if len(pair) == 1 else _better(expansion, kind, *pair) for pair in pairs]
        _deliver(expansion, candidates[0][1], result)
