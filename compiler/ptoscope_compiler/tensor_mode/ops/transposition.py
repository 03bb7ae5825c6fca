"""`transpose` (`vector/tensor_transformation.cpp`): through global memory for outer axes, by tile for the last two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...diagnostics.rules import pt307_no_tile_shape, pt308_vector_tile_rank, pt611_wrong_arguments
from ...dtype import BF16, BY_NAME, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from ...evaluate.values import Value
from ...ir.graph import LogicalTensor
from ...scalar import ScalarLike, mul
from .. import api
from ..call import Call
from ..errors import Undecided
from ..text import shape_text
from .primitives import check_operand, emit, normalised_axis, reshaped, result
from .registry import Operation, declare, dtypes

_A2A3 = (FP16, BF16, UINT8, INT8, INT16, UINT16, FP32, INT32, UINT32)
_TYPES = dtypes(_A2A3, (*_A2A3, *(BY_NAME[f"DT_{name}"] for name in ("HF8", "FP8E4M3", "FP8E5M2", "FP8E8M0"))))
_PAIRS = {4: {(0, 2), (1, 2), (1, 3), (2, 3)}, 5: {(3, 4)}}


@dataclass(frozen=True, slots=True)
class _Group:
    """Adjacent axes taken as one."""

    sizes: tuple[int, ...]
    tiles: tuple[int, ...]
    valid: tuple[ScalarLike, ...]

    @property
    def axis(self) -> tuple[int, int, ScalarLike]:
        valid: ScalarLike = 1
        for extent in self.valid:
            valid = mul(valid, extent)
        return math.prod(self.sizes), math.prod(self.tiles), valid


def _transpose(call: Call) -> Value:
    operand = check_operand(call, "input", _TYPES, (1, 5))
    first, second = sorted((normalised_axis(call, "dim0", operand), normalised_axis(call, "dim1", operand)))
    if first == second or operand.shape[first] == operand.shape[second] == 1:
        return call.value("input")
    if operand.rank in _PAIRS and (first, second) not in _PAIRS[operand.rank]:
        pairs = ", ".join(map(str, sorted(_PAIRS[operand.rank])))
        call.reject(
            pt611_wrong_arguments.RULE,
            call=call.name,
            problem=f"swaps {pairs} of a tensor of rank {operand.rank}, not ({first}, {second})",
            problem_zh=f"对 {operand.rank} 维张量只支持交换 {pairs}，不支持 ({first}, {second})",
            signature=str(api.signature(call.name)),
        )
    return result(call, transposed(call, operand, first, second, tile_for(call, operand)))


def tile_for(call: Call, operand: LogicalTensor) -> tuple[int, ...]:
    tiles = call.session.configuration.current.tiles
    if tiles.vector is None and "vector" in tiles.origins:
        raise Undecided
    if tiles.vector is None:
        suggestion = f"set_vec_tile_shapes({', '.join(map(str, operand.shape))})"
        call.reject(pt307_no_tile_shape.RULE, operation=call.operation, kind="vector", suggestion=suggestion)
    if len(tiles.vector) != operand.rank:
        call.reject(
            pt308_vector_tile_rank.RULE,
            operation=call.operation,
            tile=shape_text(tiles.vector),
            tile_rank=len(tiles.vector),
            rank=operand.rank,
            shape=shape_text(operand.shape),
        )
    return tiles.vector


def transposed(call: Call, operand: LogicalTensor, first: int, second: int, tile: Sequence[int]) -> LogicalTensor:
    """Record the swap of two axes; longer runs of untouched axes are merged first, and parted again afterwards."""
    shape, valid = _swapped(operand.shape, first, second), _swapped(operand.valid_shape, first, second)
    spans = ((0, first), (first, first + 1), (first + 1, second), (second, second + 1), (second + 1, operand.rank))
    groups = [_group(operand, tile, span) for span in spans]
    lengths = [len(group.sizes) for group in (groups[0], groups[2], groups[4])]
    last_two = (first, second) == (operand.rank - 2, operand.rank - 1)
    if max(lengths) <= 1 or last_two:
        return _swap(call, operand, first, second, tile, shape, valid)
    axes = [group.axis for group in groups if group.sizes]
    merged = reshaped(call, operand, [axis[0] for axis in axes], [axis[2] for axis in axes])
    small_tile = tuple(axis[1] for axis in axes)
    at = 1 if lengths[0] else 0
    then = at + (2 if lengths[1] else 1)
    with call.session.configuration.vector_tile(small_tile):
        swapped = transposed(call, merged, at, then, small_tile)
    return reshaped(call, swapped, shape, valid)


def _group(operand: LogicalTensor, tile: Sequence[int], span: tuple[int, int]) -> _Group:
    start, end = span
    sizes = tuple(size for size in operand.shape[start:end] if isinstance(size, int))
    return _Group(sizes, tuple(tile[start:end]), tuple(operand.valid_shape[start:end]))


def _swapped(sizes: Sequence[ScalarLike], first: int, second: int) -> list[ScalarLike]:
    result = list(sizes)
    result[first], result[second] = result[second], result[first]
    return result


def _swap(
    call: Call,
    operand: LogicalTensor,
    first: int,
    second: int,
    tile: Sequence[int],
    shape: Sequence[ScalarLike],
    valid: Sequence[ScalarLike],
) -> LogicalTensor:
    last = operand.rank - 1
    if second != last:
        return _step(call, "TRANSPOSE_MOVEOUT", operand, first, second)
    if first == last - 1:
        return _step(call, "TRANSPOSE_VNCHWCONV", operand, first, second)
    outer = (0, 1) if operand.rank == 3 else (1, 2)
    inner = (1, 2) if operand.rank == 3 else (2, 3)
    moved = _step(call, "TRANSPOSE_MOVEIN", operand, *outer)
    tile_in = [int(size) for size in _swapped(tile, *outer) if isinstance(size, int)]
    with call.session.configuration.vector_tile(tuple(tile_in)):
        turned = _step(call, "TRANSPOSE_VNCHWCONV", moved, *inner)
    tile_out = [int(size) for size in _swapped(tile_in, *inner) if isinstance(size, int)]
    with call.session.configuration.vector_tile(tuple(tile_out)):
        return _step(call, "TRANSPOSE_MOVEOUT", turned, *outer)


def _step(call: Call, opcode: str, operand: LogicalTensor, first: int, second: int) -> LogicalTensor:
    shape = _swapped(operand.shape, first, second)
    valid = _swapped(operand.valid_shape, first, second)
    attributes = {"op_attr_shape": (first, second)}
    return emit(call, opcode, (operand,), shape, operand.dtype, valid, attributes)


declare(
    Operation(
        "pypto.transpose", "transposition", _transpose, "Swap two axes.", "交换两个轴。",
        shape="that of the operand with two axes swapped", valid_shape="likewise", dtypes=_TYPES, ranks=(1, 5),
        opcodes=("TRANSPOSE_MOVEIN", "TRANSPOSE_VNCHWCONV", "TRANSPOSE_MOVEOUT", "RESHAPE"),
        rules=("PT302", "PT307", "PT308", "PT311", "PT312", "PT401"),
    )
)  # fmt: skip
