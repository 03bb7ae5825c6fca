"""Whether the on-chip memories hold the tiles of a kernel.

First by the least that one tile of each elementwise operation needs, which takes no time; then, for kernels that are
not large, by the passes that place the tiles, on one tile of each kind.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import prod

from ..diagnostics.diagnostic import Diagnostic, Facts, Related, Report
from ..diagnostics.rules import pt202_on_chip_overflow
from ..hardware import MemorySpace
from ..ir.graph import Builder, Graph, LogicalTensor, Operation
from ..ir.kernel import TensorKernel
from ..passes.capacity import smaller
from ..passes.expand.elementwise import BINARY, SCALAR, UNARY
from ..passes.manager import PassContext, Rejected, run_passes
from ..passes.tile_classes import reduce
from ..targets import Target

LARGEST = 120
"""Tile operations of one straight-line piece up to which the passes look at it: some tenths of a second."""
_ELEMENTWISE = frozenset((*UNARY, *SCALAR, *BINARY, "CAST"))
_LAST_ON_TENSORS, _PLACING = "RemoveUndrivenView", "OoOSchedule"
_FRESH = 1 << 30
"""Ids from here on are not in use: traces count from 1."""


def check_capacity(kernel: TensorKernel, target: Target, report: Report) -> bool:
    """Report what does not fit; whether all of the kernel was looked at."""
    complete = True
    seen: set[Hashable] = set()
    for segment in kernel.segments():
        alike = _likeness(segment.graph)
        if alike in seen:
            continue
        seen.add(alike)
        overflows = [*_certain_overflows(segment.graph.operations, target)]
        for overflow in overflows:
            report(overflow)
        if not overflows and not _check_by_passes(segment.graph, target, kernel, report):
            complete = False
    return complete


def _likeness(graph: Graph) -> Hashable:
    """What graphs that need the same memory have in common: operations, places, shapes and wiring, not offsets.

    Unrolled loops and paths of branches repeat a graph many times.
    """
    numbers: dict[int, int] = {}

    def described(tensor: LogicalTensor) -> Hashable:
        extents = tuple(extent if isinstance(extent, int) else -1 for extent in tensor.shape)
        return numbers.setdefault(tensor.id, len(numbers)), extents, tensor.dtype

    return tuple(
        (
            operation.opcode,
            operation.origin.span,
            operation.tiles.vector,
            operation.tiles.cube,
            *map(described, (*operation.inputs, *operation.outputs)),
        )
        for operation in graph.operations
    )


def _certain_overflows(operations: Iterable[Operation], target: Target) -> Iterable[Diagnostic]:
    """Elementwise operations whose operands, or whose result, are more than the Unified Buffer holds."""
    limit = target.usable(MemorySpace.UB)
    for operation in operations:
        tile = operation.tiles.vector
        if operation.opcode not in _ELEMENTWISE or tile is None:
            continue
        read = list({tensor.raw.id: tensor for tensor in operation.inputs}.values())
        largest = max((read, list(operation.outputs)), key=lambda tensors: _bytes(tensors, tile))
        needed = _bytes(largest, tile)
        if needed > limit:
            yield _overflow(operation, largest, tile, needed, limit)


def _overflow(
    operation: Operation, tensors: list[LogicalTensor], tile: tuple[int, ...], needed: int, limit: int
) -> Diagnostic:
    elements = sum(prod(_extents(tensor, tile)) for tensor in tensors)
    contributors = ", ".join(
        f"{'x'.join(map(str, _extents(tensor, tile)))} {tensor.dtype} = {_bytes([tensor], tile)} bytes"
        for tensor in tensors
    )
    place = operation.tiles.origins.get("vector")
    related = (Related(place.span, "the tile shape is set here", "在此处设置 tile 形状"),) if place is not None else ()
    return pt202_on_chip_overflow.RULE.at(
        operation.origin,
        Facts(operation.opcode, MemorySpace.UB.value, elements, needed, limit),
        related,
        operation=operation.opcode,
        elements=elements,
        bytes=needed,
        space=MemorySpace.UB.value,
        limit=limit,
        contributors=contributors,
        suggestion=smaller(operation, MemorySpace.UB, needed, limit),
    )


def _bytes(tensors: Iterable[LogicalTensor], tile: tuple[int, ...]) -> int:
    return sum(prod(_extents(tensor, tile)) * tensor.dtype.bytes for tensor in tensors)


def _extents(tensor: LogicalTensor, tile: tuple[int, ...]) -> list[int]:
    """The tile of a tensor; an axis known only at run time counts as one element."""
    return [
        min(extent, size) if isinstance(extent, int) else 1 for extent, size in zip(tensor.shape, tile, strict=False)
    ]


def _check_by_passes(graph: Graph, target: Target, kernel: TensorKernel, report: Report) -> bool:
    """Whether the graph is small enough for the passes to report what they cannot place."""
    context = PassContext(target, Builder(_FRESH), report=report, options=kernel.options)
    if len(graph.operations) > LARGEST:
        return False
    try:
        tensors = run_passes(graph, context, until=_LAST_ON_TENSORS)
        assert isinstance(tensors, Graph)
        reduced, _ = reduce(tensors, context.options)
        if sum(map(_tiles, reduced.operations)) > LARGEST:
            return False
        run_passes(reduced, context, after=_LAST_ON_TENSORS, until=_PLACING)
    except Rejected:
        pass
    return True


def _tiles(operation: Operation) -> int:
    """Tile operations that an operation becomes, about."""
    shapes = [tensor.shape for tensor in (operation.outputs or operation.inputs)[:1]]
    extents = [extent if isinstance(extent, int) else 1 for shape in shapes for extent in shape]
    vector, cube = operation.tiles.vector, operation.tiles.cube
    if operation.opcode == "A_MUL_B" and cube is not None:
        inner = operation.inputs[0].shape[-1]
        steps = -(-inner // cube.k[0]) if isinstance(inner, int) else 1
        return steps * _cells(extents, (*[1] * (len(extents) - 2), cube.m[0], cube.n[0]))
    return _cells(extents, vector or ())


def _cells(extents: list[int], tile: tuple[int, ...]) -> int:
    return prod(-(-extent // max(size, 1)) for extent, size in zip(extents, tile, strict=False))
