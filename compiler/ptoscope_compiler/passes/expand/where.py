"""CMP, CMPS and WHERE_xx; a condition of type UINT8 holds one bit per element of the last axis.

Source: `framework/src/interface/operation/vector/{compare,where}.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...dtype import BF16, FP32, UINT8
from ...ir.graph import LogicalTensor, Operation
from ..windows import Extents, Window
from .expand_axis import expand_axes
from .registry import Expansion, blocks, expands, extents, tile_of

_BITS = 8
_CHUNK_BYTES = 4096
_BIT_MODE = 1


def _stretch(expansion: Expansion, operation: Operation, tensor: LogicalTensor, shape: Extents) -> LogicalTensor:
    if tensor.shape == shape:
        return tensor
    others = [*operation.inputs, *operation.outputs]
    return expand_axes(expansion, tensor, shape, others, tile_of(operation, len(shape)))


def _scaled_last(values: Extents, multiply: int = 1, divide: int = 1) -> Extents:
    return (*values[:-1], values[-1] * multiply // divide)


def _comparison_scratch(bytes_per_element: int) -> int:
    """Bytes: the bits of one chunk, three chunks and two blocks."""
    bits = (_CHUNK_BYTES // bytes_per_element + 7) // 8
    return -(-bits // 32) * 32 + 3 * _CHUNK_BYTES + 64


@expands("CMP", "CMPS")
def compare(expansion: Expansion, operation: Operation) -> None:
    result = operation.outputs[0]
    packed = operation.attribute("op_attr_cmp_mode", 0) == _BIT_MODE
    factor = _BITS if packed else 1
    size = _scaled_last(extents(result), multiply=factor)
    tile = tile_of(operation, result.rank)
    step = _scaled_last(tile[: result.rank], divide=factor)
    inputs = [_stretch(expansion, operation, tensor, size) for tensor in operation.inputs]
    scratch = _comparison_scratch(operation.inputs[0].dtype.bytes)
    for shape, offset in blocks(extents(result), (*step[:-1], max(1, step[-1]))):
        read, start = _scaled_last(shape, multiply=factor), _scaled_last(offset, multiply=factor)
        outputs = (Window(result, shape, offset), expansion.temporary((scratch,), UINT8))
        expansion.emit(operation.opcode, [Window(tensor, read, start) for tensor in inputs], outputs)


def _selection_scratch(operation: Operation) -> int:
    """Bytes: 1024 elements of condition and comparison in FP16, their bits, an address, 1024 of each choice."""
    choice = operation.inputs[1].dtype if len(operation.inputs) > 1 else operation.outputs[0].dtype
    selected = 4 if choice in (FP32, BF16) else 2
    return 2048 * 2 + 128 + 32 + 2048 * selected


@expands("WHERE_TT", "WHERE_TS", "WHERE_ST", "WHERE_SS")
def where(expansion: Expansion, operation: Operation) -> None:
    result = operation.outputs[0]
    condition, *choices = operation.inputs
    packed = condition.dtype is UINT8
    factor = _BITS if packed else 1
    size = extents(result)
    mask = _stretch(expansion, operation, condition, _scaled_last(size, divide=factor))
    inputs = [_stretch(expansion, operation, tensor, size) for tensor in choices]
    details = {**operation.attributes, "op_attr_whereBitMode": int(packed)}
    for shape, offset in blocks(size, tile_of(operation, result.rank)):
        part = Window(mask, _scaled_last(shape, divide=factor), _scaled_last(offset, divide=factor))
        outputs = (Window(result, shape, offset), expansion.temporary((_selection_scratch(operation),), UINT8))
        expansion.emit(operation.opcode, (part, *(Window(t, shape, offset) for t in inputs)), outputs, details)
