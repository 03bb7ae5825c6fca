"""Rules of the whole graph: tile shapes that fit their operations, and tensors that something has been written to.

The official compiler finds the former in ExpandFunction (`tile_shape_verifier.h`), the latter at launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..diagnostics.diagnostic import Diagnostic, Facts, Related
from ..diagnostics.rules import (
    pt101_tile_tail_unaligned,
    pt307_no_tile_shape,
    pt308_vector_tile_rank,
    pt604_never_written,
)
from ..ir.graph import LogicalTensor, Operation
from ..origin import Origin
from ..scalar import known
from .region import BranchNode, LoopNode, Node, operations
from .tensor import Tensor
from .text import shape_text
from .tracer import Tracer

BLOCK = 32
"""Bytes to which the last axis of a tile is aligned in the Unified Buffer."""

UNTILED = frozenset({"VIEW", "ASSEMBLE", "ASSEMBLE_SSA", "ATOMIC_RMW", "RESHAPE", "A_MUL_B", "PRINT", "INDEX_OUTCAST"})
"""Operations without a vector tile of their own."""


def check_kernel(
    nodes: list[Node], tracer: Tracer, tensors: Mapping[str, Tensor], names: Mapping[int, str]
) -> list[Diagnostic]:
    """Findings in what is left of the kernel once dead code is gone; `names` are those of its variables, by tensor."""
    findings: list[Diagnostic] = []
    warned: set[Origin] = set()
    for operation in operations(nodes):
        if operation.opcode not in UNTILED and operation.outputs:
            findings.extend(_tile(operation, warned))
    findings.extend(_never_written(nodes, tracer, tensors, names))
    return findings


def _name(operation: Operation) -> str:
    return operation.opcode.lower()


def _tile(operation: Operation, warned: set[Origin]) -> Iterator[Diagnostic]:
    output = operation.outputs[0]
    tile = operation.tiles.vector
    if tile is None and "vector" in operation.tiles.origins:
        return
    if tile is None:
        sizes = ", ".join("..." if not known(size) else str(size) for size in output.shape)
        suggestion = f"set_vec_tile_shapes({sizes})"
        yield pt307_no_tile_shape.RULE.at(
            operation.origin,
            facts=Facts(operation=operation.opcode),
            operation=_name(operation),
            kind="vector",
            suggestion=suggestion,
        )
        return
    place = operation.tiles.origins.get("vector")
    if len(tile) < output.rank:
        set_here = (Related(place.span, "the tile is set here", "tile 在此设置"),) if place is not None else ()
        yield pt308_vector_tile_rank.RULE.at(
            operation.origin,
            facts=Facts(operation=operation.opcode),
            related=set_here,
            tile=shape_text(tile),
            tile_rank=len(tile),
            operation=_name(operation),
            rank=output.rank,
            shape=shape_text(output.shape),
        )
        return
    if place is not None and place not in warned and len(tile) == output.rank:
        yield from _tail(operation, output, tile, place, warned)


def _tail(
    operation: Operation, output: LogicalTensor, tile: tuple[int, ...], place: Origin, warned: set[Origin]
) -> Iterator[Diagnostic]:
    size = tile[-1]
    extent = output.shape[-1]
    bits = output.dtype.bits
    if size * bits % (BLOCK * 8) == 0 or (isinstance(extent, int) and extent <= size):
        return
    warned.add(place)
    multiple = BLOCK * 8 // bits
    yield pt101_tile_tail_unaligned.RULE.at(
        place,
        facts=Facts(operation.opcode, None, size, size * bits // 8, BLOCK),
        related=(Related(operation.origin.span, "used by this operation", "用于此操作"),),
        tile=shape_text(tile),
        bytes=size * bits // 8,
        dtype=output.dtype,
        suggestion=-(-size // multiple) * multiple,
    )


def _never_written(
    nodes: list[Node], tracer: Tracer, tensors: Mapping[str, Tensor], names: Mapping[int, str]
) -> Iterator[Diagnostic]:
    defined = set(_defined(nodes))
    defined.update(tensor.original.id for tensor in tensors.values())
    reported: set[int] = set()
    for operation in operations(nodes):
        for tensor in operation.inputs:
            if tensor.id in defined or tensor.raw.parameter or tensor.id in reported:
                continue
            reported.add(tensor.id)
            created = tracer.created.get(tensor.id)
            name = names.get(tensor.id) or tensor.raw.name or "the tensor"
            related = (Related(created.span, "it is made here", "在此创建"),) if created is not None else ()
            yield pt604_never_written.RULE.at(
                operation.origin, facts=Facts(operation=operation.opcode, buffer=name), related=related, name=name
            )


def _defined(nodes: list[Node]) -> Iterator[int]:
    for operation in operations(nodes):
        for tensor in operation.outputs:
            yield tensor.id
    yield from _handed_on(nodes)


def _handed_on(nodes: list[Node]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, LoopNode):
            for carry in node.carries:
                for tensor in (carry.entry, carry.result):
                    if isinstance(tensor, LogicalTensor):
                        yield tensor.id
            yield from _handed_on(node.body)
        elif isinstance(node, BranchNode):
            for phi in node.phis:
                if isinstance(phi.result, LogicalTensor):
                    yield phi.result.id
            yield from _handed_on(node.then)
            yield from _handed_on(node.otherwise)
