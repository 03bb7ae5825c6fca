"""Rules of the cube tile under which a product is made, and the L0 capacity that it needs.

Source: `CheckCubeTiling` in `cube_operation_impl.cpp` of hicann/pypto; it finds a want of L0 only when it schedules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Diagnostic, Facts, Related
from ..diagnostics.rules import (
    pt102_cube_tile_unaligned,
    pt103_cube_tile_levels,
    pt201_cube_tile_overflow,
    pt307_no_tile_shape,
)
from ..dtype import FP32, INT32, DType
from ..hardware import MemorySpace
from ..ir.graph import CubeTile, LogicalTensor
from ..origin import Origin
from .errors import Rejected, Undecided

if TYPE_CHECKING:
    from .call import Call

BLOCK = 32
"""Bytes of a block of L0."""
CUBE = 16
"""Elements that a cube computes along an axis."""


def check_cube_tile(call: Call, left: LogicalTensor, right: LogicalTensor, transpose_a: bool) -> CubeTile:
    """The cube tile in force; Rejected where there is none, or where it breaks a rule."""
    tiles = call.session.configuration.current.tiles
    if tiles.cube is None and "cube" in tiles.origins:
        raise Undecided
    if tiles.cube is None:
        suggestion = "set_cube_tile_shapes([128, 128], [64, 256], [256, 256])"
        call.reject(pt307_no_tile_shape.RULE, operation=call.operation, kind="cube", suggestion=suggestion)
    place = tiles.origins.get("cube", call.origin)
    rows, inner = left.shape[-2:] if not transpose_a else (left.shape[-1], left.shape[-2])
    columns = right.shape[-1] if inner == right.shape[-2] else right.shape[-2]
    checks = _Checks(call, place, tiles.cube)
    findings = [
        *checks.alignment(left.dtype, right.dtype, transpose_a and left.raw.format == "ND"),
        *checks.levels(),
        *checks.capacity(left.dtype, right.dtype, (rows, inner, columns)),  # type: ignore[arg-type]
    ]
    if findings:
        raise Rejected(findings[0])
    return tiles.cube


class _Checks:
    def __init__(self, call: Call, place: Origin, tile: CubeTile) -> None:
        self.call = call
        self.place = place
        self.tile = tile
        self.related = (
            ()
            if place is call.origin
            else (Related(call.origin.span, "the product under this tile", "使用该 tile 的矩阵乘"),)
        )

    def alignment(self, left: DType, right: DType, rows_too: bool) -> Iterator[Diagnostic]:
        m, k, n = self.tile.m[0], self.tile.k[0], self.tile.n[0]
        named = [("k[0]", k, left), ("n[0]", n, right)]
        for name, size, dtype in [*named, *([("m[0]", m, left)] if rows_too else [])]:
            multiple = max(CUBE if name != "m[0]" else 1, BLOCK * 8 // dtype.bits)
            if size % multiple:
                yield pt102_cube_tile_unaligned.RULE.at(
                    self.place,
                    facts=Facts(operation=self.call.operation, elements=size, bytes=size * dtype.bits // 8),
                    related=self.related,
                    tile=name,
                    elements=size,
                    dtype=dtype,
                    bytes=size * dtype.bits // 8,
                    multiple=multiple,
                    suggestion=-(-size // multiple) * multiple,
                )

    def levels(self) -> Iterator[Diagnostic]:
        tile = self.tile
        pairs = (
            ("k", tile.k[0], tile.k[1], 1),
            ("k", tile.k[0], tile.k[2], 2),
            ("n", tile.n[0], tile.n[1], 1),
            ("m", tile.m[0], tile.m[1], 1),
        )
        for axis, inner, outer, at in pairs:
            if outer < inner or outer % inner:
                yield pt103_cube_tile_levels.RULE.at(
                    self.place,
                    facts=Facts(operation=self.call.operation),
                    related=self.related,
                    inner=f"{axis}[0]",
                    inner_size=inner,
                    outer=f"{axis}[{at}]",
                    outer_size=outer,
                )

    def capacity(self, left: DType, right: DType, sizes: tuple[int, int, int]) -> Iterator[Diagnostic]:
        tile = self.tile
        m, k, n = (min(a, _up(b, CUBE)) for a, b in zip((tile.m[0], tile.k[0], tile.n[0]), sizes, strict=False))
        result = FP32 if left.is_float else INT32
        uses = (
            (MemorySpace.L0A, "m[0]", m, "k[0]", k, left),
            (MemorySpace.L0B, "k[0]", k, "n[0]", n, right),
            (MemorySpace.L0C, "m[0]", m, "n[0]", n, result),
        )
        for space, first, rows, second, columns, dtype in uses:
            limit = self.call.tracer.target.usable(space)
            needed = _up(rows, CUBE) * _up(columns, CUBE) * dtype.bits // 8
            if 0 < limit < needed:
                yield pt201_cube_tile_overflow.RULE.at(
                    self.place,
                    facts=Facts(self.call.operation, space.value, rows * columns, needed, limit),
                    related=self.related,
                    rows=rows,
                    columns=columns,
                    dtype=dtype,
                    bytes=needed,
                    space=space.value,
                    limit=limit,
                    first=first,
                    second=second,
                )


def _up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple
