"""PadLocalBuffer: the storage of tiles on chip gets the alignment of their memory.

The last axis of a vector tile fills whole blocks of 32 bytes; a compact column fills them along its rows. Tiles of the
cube fill whole fractals. Shapes and valid shapes stay. Source:
`framework/src/passes/tile_graph_pass/graph_constraint/pad_local_buffer.cpp` of hicann/pypto.
"""

from __future__ import annotations

from math import prod

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, RawTensor, changed
from .column_tiles import combined
from .manager import InvalidGraph, PassContext
from .tiles import BLOCK_BYTES, align, derived, on_chip

_FRACTAL = 16
_BIAS_BYTES = 64
_BRCB_ROWS = 8


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with padded raw tensors on chip."""
    compact = combined(graph)
    spread = {id(op.outputs[0].raw) for op in graph.operations if op.opcode == "BRCB"}
    rows_of_bias = _rows_of_bias(graph)
    padded: dict[int, RawTensor] = {}
    tensors: dict[int, LogicalTensor] = {}
    for operation in graph.operations:
        for tensor in (*operation.inputs, *operation.outputs):
            if not on_chip(tensor) or tensor.id in tensors:
                continue
            raw = padded.get(tensor.raw.id)
            if raw is None:
                shape = _padded_shape(tensor, tensor.id in compact, id(tensor.raw) in spread, rows_of_bias)
                raw = padded[tensor.raw.id] = changed(tensor.raw, shape=shape)
            tensors[tensor.id] = changed(tensor, raw=raw)
    return derived(graph, graph.operations, tensors)


def _rows_of_bias(graph: Graph) -> frozenset[int]:
    """Tensors on the way to the bias and scaling buffers: rows, not fractals."""
    rows: set[int] = set()
    for operation in graph.operations:
        if operation.outputs and operation.outputs[0].memory in (MemorySpace.BT, MemorySpace.FB):
            rows.update(tensor.id for tensor in (*operation.inputs, *operation.outputs))
    return frozenset(rows)


def _padded_shape(tensor: LogicalTensor, compact: bool, spread: bool, rows_of_bias: frozenset[int]) -> tuple[int, ...]:
    shape = [int(extent) for extent in tensor.raw.shape]  # type: ignore[arg-type]
    block = max(1, BLOCK_BYTES * 8 // tensor.dtype.bits)
    if not shape:
        return (block,)
    if tensor.memory is MemorySpace.UB:
        if compact:
            shape[-2] = align(shape[-2], block)
            return tuple(shape)
        if spread and len(shape) > 1:
            shape[-2] = align(shape[-2], _BRCB_ROWS)
        shape[-1] = align(shape[-1], block)
        return tuple(shape)
    if tensor.id in rows_of_bias:
        shape[-1] = align(shape[-1], max(_FRACTAL, _BIAS_BYTES // tensor.dtype.bytes))
        return tuple(shape)
    fractal = _FRACTAL if tensor.memory is MemorySpace.L0C else max(_FRACTAL, block)
    for axis in range(max(0, len(shape) - 2), len(shape)):
        shape[axis] = align(shape[axis], fractal)
    return tuple(shape)


def verify(graph: Graph, context: PassContext) -> None:
    """Every tile on chip fills whole blocks and holds its tensor."""
    for operation in graph.operations:
        for tensor in (*operation.inputs, *operation.outputs):
            if on_chip(tensor) and not _fits(tensor):
                raise InvalidGraph(f"tile {tensor.shape} of {operation.opcode} does not fit its storage")


def _fits(tensor: LogicalTensor) -> bool:
    shape = tensor.raw.shape
    if any(not isinstance(extent, int) for extent in shape):
        return False
    if prod(shape) * tensor.dtype.bits % (BLOCK_BYTES * 8):  # type: ignore[arg-type]
        return False
    return all(small <= large for small, large in zip(tensor.shape, shape, strict=False))  # type: ignore[operator]
