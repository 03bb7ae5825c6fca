"""Whether the on-chip memories hold the tiles of a kernel, by the passes that place them, on one tile of each kind."""

from __future__ import annotations

from math import prod

from ..diagnostics.diagnostic import Report
from ..ir.graph import Builder, Graph, Operation
from ..ir.kernel import TensorKernel
from ..passes.manager import PassContext, Rejected, run_passes
from ..passes.tile_classes import reduce
from ..targets import Target

_LAST_ON_TENSORS, _PLACING = "RemoveUndrivenView", "OoOSchedule"
_FRESH = 1 << 30
"""Ids from here on are not in use: traces count from 1."""
LARGEST = 400
"""Tile operations of one straight-line piece up to which it is looked at: about a second."""


def check_capacity(kernel: TensorKernel, target: Target, report: Report) -> bool:
    """Report what does not fit; whether all of the kernel was looked at."""
    complete = True
    for segment in kernel.segments():
        context = PassContext(target, Builder(_FRESH), report=report, options=kernel.options)
        try:
            tensors = run_passes(segment.graph, context, until=_LAST_ON_TENSORS)
            assert isinstance(tensors, Graph)
            reduced, _ = reduce(tensors, context.options)
            if sum(map(_tiles, reduced.operations)) <= LARGEST:
                run_passes(reduced, context, after=_LAST_ON_TENSORS, until=_PLACING)
            else:
                complete = False
        except Rejected:
            continue
    return complete


def _tiles(operation: Operation) -> int:
    """Tile operations that an operation becomes, at least."""
    shape = operation.outputs[0].shape if operation.outputs else ()
    extents = [extent if isinstance(extent, int) else 1 for extent in shape]
    vector, cube = operation.tiles.vector, operation.tiles.cube
    tile = vector if vector is not None and len(vector) == len(extents) else ()
    if not tile and cube is not None:
        tile = (*[1] * (len(extents) - 2), cube.m[0], cube.n[0])
    return prod(-(-extent // max(size, 1)) for extent, size in zip(extents, tile, strict=False))
