"""What can be proved wrong about an operation's tiles while tracing."""

from __future__ import annotations

from collections.abc import Sequence

from ...diagnostics.diagnostic import Facts, Severity
from ...diagnostics.rules import (
    pt111_tile_misaligned,
    pt211_tile_beyond_buffer,
    pt321_tile_shapes_differ,
    pt322_valid_shape_beyond_tile,
    pt421_wrong_memory_space,
    pt422_transfer_dtype,
    pt423_tile_dtypes_differ,
)
from ...hardware import MemorySpace
from ...pto import operands as pto
from ...scalar import ScalarLike
from ..call import Call
from ..tensors import Tensor
from ..tiles import Tile

_PATHS = {
    MemorySpace.L1: frozenset(
        {
            MemorySpace.L0A,
            MemorySpace.L0B,
            MemorySpace.FB,
            MemorySpace.BT,
            MemorySpace.L0A_MX,
            MemorySpace.L0B_MX,
            MemorySpace.UB,
            MemorySpace.L1,
        }
    ),
    MemorySpace.L0C: frozenset({MemorySpace.UB, MemorySpace.L1}),
    MemorySpace.UB: frozenset({MemorySpace.UB, MemorySpace.L1}),
}
_ALIGNMENT = {
    MemorySpace.UB: 32,
    MemorySpace.L1: 32,
    MemorySpace.L0A: 512,
    MemorySpace.L0B: 512,
    MemorySpace.L0C: 64,
    MemorySpace.L0A_MX: 32,
    MemorySpace.L0B_MX: 32,
}  # `_MEMORY_ALIGNMENT` in python/pypto_pro/ir/op/block_ops.py of hicann/pypto


def check_placement(call: Call, made: pto.TileType, address: int) -> None:
    """A tile starts at a multiple of its space's alignment, and ends within its space."""
    space = made.space
    facts = Facts(call.entry.name, space.value, made.elements, made.bytes, call.tracer.target.capacity(space))
    alignment = _ALIGNMENT.get(space)
    if alignment and address % alignment:
        rule = pt111_tile_misaligned.RULE
        call.site.report(rule.at(call.origin, facts, address=hex(address), space=space.value, alignment=alignment))
    capacity = call.tracer.target.capacity(space)
    if capacity and (address >= capacity or address + made.bytes > capacity):
        severity = Severity.ERROR if address >= capacity else Severity.WARNING
        rule = pt211_tile_beyond_buffer.RULE
        end = address + made.bytes
        call.site.report(rule.at(call.origin, facts, severity=severity, space=space.value, end=end, capacity=capacity))


def check_transfer(call: Call, tile: Tile, tensor: Tensor) -> None:
    """Tile and tensor of a load or store have one element type; accumulators and quantising stores convert."""
    if tile.type.space in (MemorySpace.L0C, MemorySpace.FB) or tile.type.dtype.bits < 8 or tensor.dtype.bits < 8:
        return
    if tile.type.dtype.bits != tensor.dtype.bits:
        rule = pt422_transfer_dtype.RULE
        call.site.report(
            rule.at(call.origin, operation=f"pl.{call.entry.name}", tile=tile.type.dtype, tensor=tensor.dtype)
        )


def check_move(call: Call, target: Tile, source: Tile) -> None:
    """There is a path between the two spaces."""
    if target.type.space not in _PATHS.get(source.type.space, frozenset()):
        _wrong_space(call, source, f"no path leads from {source.type.space.value} to {target.type.space.value}")


def check_matmul(call: Call, target: Tile, left: Tile, right: Tile) -> None:
    """The operands lie in L0A, L0B and L0C, and their shapes fit."""
    for tile, space in ((target, MemorySpace.L0C), (left, MemorySpace.L0A), (right, MemorySpace.L0B)):
        if tile.type.space is not space:
            _wrong_space(call, tile, f"this operand must lie in {space.value}, not {tile.type.space.value}")
    if left.type.shape[1] != right.type.shape[0]:
        rule = pt321_tile_shapes_differ.RULE
        reason = f"the left tile has {left.type.shape[1]} columns, the right one {right.type.shape[0]} rows"
        reason_zh = f"左 tile 有 {left.type.shape[1]} 列，右 tile 有 {right.type.shape[0]} 行"
        call.site.report(
            rule.at(
                call.origin,
                severity=Severity.WARNING,
                operation=f"pl.{call.entry.name}",
                reason=reason,
                reason_zh=reason_zh,
            )
        )


def check_bias(call: Call, bias: Tile, target: Tile) -> None:
    """A bias lies in the bias table, in the type of the accumulator."""
    if bias.type.space is not MemorySpace.BT:
        _wrong_space(call, bias, f"the bias must lie in BT, not {bias.type.space.value}")
    elif bias.type.dtype != target.type.dtype:
        rule = pt423_tile_dtypes_differ.RULE
        call.site.report(rule.at(call.origin, operation="pl.matmul", first=target.type.dtype, second=bias.type.dtype))


def check_valid_shape(call: Call, tile: Tile, shape: Sequence[ScalarLike]) -> None:
    """A valid extent that is known lies within the tile."""
    for axis, (extent, size) in enumerate(zip(shape, tile.type.shape, strict=True)):
        if isinstance(extent, int) and not 0 <= extent <= size:
            rule = pt322_valid_shape_beyond_tile.RULE
            call.site.report(rule.at(call.origin, extent=extent, axis=axis, size=size))


def _wrong_space(call: Call, tile: Tile, reason: str) -> None:
    rule = pt421_wrong_memory_space.RULE
    call.site.report(rule.at(call.origin, operation=f"pl.{call.entry.name}", tile=tile.describe(), reason=reason))
