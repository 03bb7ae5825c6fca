"""Whether a memory can hold, at once, the tiles of each single operation: the least that any schedule needs."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics.diagnostic import Facts, Related
from ..diagnostics.rules.pt202_on_chip_overflow import RULE
from ..hardware import MemorySpace
from ..ir.execute import LeafFunction
from ..ir.graph import LogicalTensor, Operation
from .manager import PassContext
from .tiles import CUBE_SPACES, align, on_chip, raw_bytes, raw_elements, root

_TOP = 3
_HERE, _HERE_ZH = "the tile shape is set here", "在此处设置 tile 形状"


def report_overflow(leaf: LeafFunction, context: PassContext) -> bool:
    """Whether an operation of `leaf` cannot run; the first one per memory and line is reported."""
    reported: set[tuple[MemorySpace, object]] = set()
    for operation in leaf.graph.operations:
        if operation.opcode.endswith("_ALLOC"):
            continue
        for space, tiles in _tiles(operation).items():
            needed = sum(align(raw_bytes(root(tile.raw)), context.target.alignment(space)) for tile in tiles)
            if needed > context.target.usable(space) and (space, operation.origin.span) not in reported:
                reported.add((space, operation.origin.span))
                _report(operation, space, tiles, needed, context)
    return bool(reported)


def _tiles(operation: Operation) -> dict[MemorySpace, list[LogicalTensor]]:
    """The tiles of an operation by memory, one per storage."""
    tiles: dict[MemorySpace, dict[int, LogicalTensor]] = {}
    for tensor in (*operation.outputs, *operation.inputs):
        if on_chip(tensor) and tensor.memory is not None:
            tiles.setdefault(tensor.memory, {}).setdefault(root(tensor.raw).id, tensor)
    return {space: list(found.values()) for space, found in tiles.items()}


def _report(
    operation: Operation, space: MemorySpace, tiles: list[LogicalTensor], needed: int, context: PassContext
) -> None:
    limit = context.target.usable(space)
    elements = sum(raw_elements(tile.raw) for tile in tiles)
    largest = sorted(tiles, key=lambda tile: -raw_bytes(root(tile.raw)))[:_TOP]
    contributors = ", ".join(
        f"{_shape(tile.shape)} {tile.dtype} = {raw_bytes(root(tile.raw))} bytes" for tile in largest
    )
    place = operation.tiles.origins.get("cube" if space in CUBE_SPACES else "vector")
    related = (Related(place.span, _HERE, _HERE_ZH),) if place is not None else ()
    context.report(
        RULE.at(
            operation.origin,
            Facts(operation.opcode, space.value, elements, needed, limit),
            related,
            operation=operation.opcode,
            elements=elements,
            bytes=needed,
            space=space.value,
            limit=limit,
            contributors=contributors,
            suggestion=smaller(operation, space, needed, limit),
        )
    )


def smaller(operation: Operation, space: MemorySpace, needed: int, limit: int) -> str:
    """The next tile shape that fits: the largest axis halved until the tiles of the operation do."""
    if space in CUBE_SPACES or operation.tiles.vector is None:
        cube = operation.tiles.cube
        return f"set_cube_tile_shapes with less than {cube.m}, {cube.k}, {cube.n}" if cube else "half of each axis"
    shape = list(operation.tiles.vector)
    while needed > limit and max(shape) > 1:
        axis = shape.index(max(shape))
        shape[axis] = (shape[axis] + 1) // 2
        needed = (needed + 1) // 2
    return f"set_vec_tile_shapes({', '.join(map(str, shape))})"


def _shape(extents: Sequence[object]) -> str:
    return "x".join(map(str, extents))
