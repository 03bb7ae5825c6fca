"""Element by element: one, two or more operands, tile by tile over the result; operands broadcast.

Source: `framework/src/interface/operation/vector/{unary,binary,math,bitwise_shift,hypot}.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ...dtype import BF16, FP16, FP32, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, DType
from ...ir.graph import LogicalTensor, Operation
from ..windows import Extents, Window
from .expand_axis import expand_axes
from .registry import RULES, Expansion, Operand, align, blocks, extents, tile_of

BLOCK_BYTES = 32
REPEAT_BYTES = 256

INLINE_BROADCAST = frozenset({"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "EXPANDEXPDIF"})

UNARY = (
    "EXP", "RSQRT", "RELU", "ATAN", "SQRT", "CEIL", "FLOOR", "TRUNC", "BITWISENOT", "RECIPROCAL", "ABS", "LN", "HUB",
    "NEG",
)  # fmt: skip
SCALAR = (
    "ADDS", "SUBS", "MULS", "DIVS", "MAXS", "MINS", "LRELU", "MODS", "BITWISEANDS", "BITWISEORS", "GCDS",
    "S_ADDS", "S_SUBS", "S_MULS", "S_DIVS", "S_MAXS", "S_MINS",
    "BITWISERIGHTSHIFTS", "BITWISELEFTSHIFTS",
)  # fmt: skip
BINARY = (
    "ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "MOD", "BITWISEAND", "BITWISEOR", "GCD", "EXPANDEXPDIF",
    "BITWISERIGHTSHIFT", "BITWISELEFTSHIFT",
)  # fmt: skip

Scratch = Callable[[Operation, Extents, DType], tuple[Extents, DType]]


def _aligned_last(shape: Extents, dtype: DType, factor: int = 1) -> Extents:
    return (*shape[:-1], align(shape[-1], BLOCK_BYTES // dtype.bytes) * factor)


def _fp32_blocks(count: int) -> Scratch:
    """`count` FP32 copies of the operation's tile, the last axis aligned, as bytes."""

    def scratch(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
        tile = tile_of(operation, len(shape))
        return (prod(_aligned_last(tile, FP32, count)) * FP32.bytes,), UINT8

    return scratch


def _arcus(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    tile = tile_of(operation, len(shape))
    rows = tile[-2] if len(tile) >= 2 else 1
    return (FP32.bytes * 4 * rows * align(tile[-1], REPEAT_BYTES // FP32.bytes),), UINT8


def _finite(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return (2 * prod(tile_of(operation, len(shape))),), UINT8


def _nan(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    tile = tile_of(operation, len(shape))
    rows = tile[-2] if len(tile) >= 2 else 1
    return (3 * rows * align(tile[-1], 16) * FP32.bytes + BLOCK_BYTES,), UINT8


def _one_block_or_plane(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    """One block for FP32 (no conversion needed), else an FP32 copy of the last two axes."""
    if dtype is FP32:
        return (BLOCK_BYTES // FP32.bytes,), FP32
    return _aligned_last(shape[-2:], FP32), FP32


def _result_copy(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return _aligned_last(shape, dtype), dtype


def _two_rows(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return (2, align(shape[-1], BLOCK_BYTES // dtype.bytes)), dtype


def _reverse_remainder(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    rows = shape[-2] + 2 if len(shape) > 1 else 3
    return (rows, align(shape[-1], BLOCK_BYTES // dtype.bytes)), dtype


def _arc_tangent(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return _aligned_last(shape, dtype, 4 * FP32.bytes), UINT8


def _floor_divide(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return (prod(_aligned_last(shape, dtype, 6)) * FP32.bytes,), UINT8


def _power(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    """For FP32 a second copy of the result, and three masks of one bit per element."""
    if dtype is not FP32:
        return _result_copy(operation, shape, dtype)
    columns = align(shape[-1], BLOCK_BYTES // dtype.bytes)
    mask = align(-(-columns // 8), BLOCK_BYTES) // dtype.bytes
    return (*shape[:-1], 2 * columns + 3 * mask), dtype


def _hyperbolic_tangent(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    tile = tile_of(operation, len(shape))
    rows = tile[-2] if len(tile) >= 2 else 1
    copies = rows * align(tile[-1], BLOCK_BYTES // FP32.bytes) * FP32.bytes * (2 if dtype is FP32 else 4)
    return (copies + rows * align(tile[-1], BLOCK_BYTES) + BLOCK_BYTES,), INT8


def _tangent(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return (9 * _plane(shape, FP32),), FP32


def _logarithm_of_one_more(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return (4 * _plane(tile_of(operation, len(shape)), FP32),), FP32


def _sign(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    if dtype is INT8:
        return (_plane(shape, FP16),), FP16
    if dtype in (FP16, FP32):
        return ((2 * _plane(shape, dtype) * dtype.bytes + BLOCK_BYTES) // FP16.bytes,), FP16
    return (BLOCK_BYTES // FP16.bytes,), FP16


def _sign_bit(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    return (_plane(shape, FP16),), FP16


def _logical_not(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    """A chunk of 2048 elements: as it is compared and selected in `dtype`, or in FP16 where that has no comparison."""
    chunk = 2048
    if dtype in (INT16, UINT16, INT32, UINT32, INT64, UINT64):
        return (chunk * dtype.bytes,), INT8
    width = FP32.bytes if dtype in (FP32, BF16) else FP16.bytes
    return (align(chunk * 2 + chunk * width * 2 + chunk // 8 + 8, BLOCK_BYTES),), INT8


def _logical_and(operation: Operation, shape: Extents, dtype: DType) -> tuple[Extents, DType]:
    chunk = 64
    return (BLOCK_BYTES + 4 * chunk * FP32.bytes + chunk * FP16.bytes + 2 * BLOCK_BYTES,), UINT8


def _plane(shape: Extents, dtype: DType) -> int:
    """Elements of the last two axes, the last one aligned to blocks of `dtype`."""
    return prod(_aligned_last(shape[-2:], dtype))


SCRATCH: dict[str, Scratch] = {
    "SINH": _fp32_blocks(4), "COSH": _fp32_blocks(3), "ASINH": _fp32_blocks(4), "ACOSH": _fp32_blocks(3),
    "ATANH": _fp32_blocks(5), "ERF": _fp32_blocks(3), "SIN": _fp32_blocks(3), "COS": _fp32_blocks(3),
    "ERFC": _fp32_blocks(4), "ASIN": _arcus, "ACOS": _arcus, "ISFINITE": _finite, "ISNAN": _nan,
    "ROUND": _one_block_or_plane, "EXPM1": _one_block_or_plane,
    "BITWISEXOR": _result_copy, "COPYSIGN": _result_copy, "BITWISEXORS": _result_copy, "POWS": _result_copy,
    "REM": _two_rows, "REMS": _two_rows, "REMRS": _reverse_remainder, "ATAN2": _arc_tangent,
    "FLOORDIV": _floor_divide, "FLOORDIVS": _floor_divide, "POW": _power, "TANH": _hyperbolic_tangent,
    "TAN": _tangent, "LOG1P": _logarithm_of_one_more, "SIGN": _sign, "SIGNBIT": _sign_bit,
    "LOGICALNOT": _logical_not, "LOGICALAND": _logical_and,
}  # fmt: skip
"""Opcodes that need a scratch tensor as second output: its shape and type from the tile's shape and type."""
SCRATCH_3510: dict[str, Scratch] = {**SCRATCH, "POW": _result_copy}


def broadcast_sides(left: LogicalTensor, right: LogicalTensor) -> list[int]:
    """Per axis, which operand is stretched: 0 none, 1 the left, 2 the right."""
    return [
        0 if a == b or (a != 1 and b != 1) else 1 if a == 1 else 2 for a, b in zip(left.shape, right.shape, strict=True)
    ]


def _part(tensor: LogicalTensor, shape: Extents, offset: Extents, tile: Extents) -> Window:
    """What a result tile at `offset` reads of an operand: axes of extent 1 repeat."""
    size = extents(tensor)
    start = tuple(o % s for o, s in zip(offset, size, strict=True))
    return Window(tensor, tuple(min(s - o, t) for s, o, t in zip(size, start, tile, strict=False)), start)


def _stretched(expansion: Expansion, operation: Operation) -> list[LogicalTensor]:
    """The inputs, with the axes that the instruction cannot stretch itself expanded beforehand."""
    result, inline = operation.outputs[0], operation.opcode in INLINE_BROADCAST
    tensors = list(operation.inputs)
    for index, tensor in enumerate(operation.inputs):
        target = list(result.shape)
        if inline:
            target[:-1] = tensor.shape[:-1]
            if expansion.combine_axis:
                target[-1] = tensor.shape[-1]
        if tuple(target) != tensor.shape:
            others = [other for other in operation.inputs if other is not tensor]
            tensors[index] = expand_axes(expansion, tensor, tuple(target), others, tile_of(operation, result.rank))
    return tensors


def elementwise(expansion: Expansion, operation: Operation) -> None:
    """Tiles over the result; each operand's part of a tile, the opcode's scratch, the broadcast axes as attribute."""
    result = operation.outputs[0]
    tile = tile_of(operation, result.rank)
    inputs = _stretched(expansion, operation) if len(operation.inputs) > 1 else list(operation.inputs)
    attributes: dict[str, Any] = dict(operation.attributes)
    if len(inputs) == 2:
        sides = broadcast_sides(*inputs)
        if any(sides):
            attributes["op_attr_brc_operand"] = sides
    scratch = (SCRATCH_3510 if expansion.architecture == "3510" else SCRATCH).get(operation.opcode)
    for shape, offset in blocks(extents(result), tile):
        outputs: list[Operand] = [Window(result, shape, offset)]
        if scratch is not None:
            outputs.append(expansion.temporary(*scratch(operation, shape, operation.inputs[0].dtype)))
        parts = [_part(tensor, shape, offset, tile) for tensor in inputs]
        expansion.emit(operation.opcode, parts, outputs, attributes)


for _opcode in (*UNARY, *SCALAR, *BINARY, *SCRATCH):
    RULES[_opcode] = elementwise
