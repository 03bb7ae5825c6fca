"""Pass 05, ExpandFunction: the Tensor Graph becomes a Tile Graph.

Source: `framework/src/passes/tensor_graph_pass/expand_function.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..diagnostics.rules.pt361_tile_rank import RULE as TILE_RANK
from ..diagnostics.rules.pt961_no_expansion import RULE as NO_EXPANSION
from ..ir.graph import Graph, Operation
from .check import check_structure
from .edit import Edit
from .expand import RULES, Expansion
from .expand.registry import MissingTile
from .expand.view_tiles import in_place_targets, is_kept, move_tile
from .manager import PassContext, Rejected
from .windows import static_shape

_KEPT = frozenset({"SLICE", "CONTRACT", "NOP", "ATOMIC_RMW"})
_DROPPED = frozenset({"PRINT"})
_MOVES = frozenset({"VIEW", "ASSEMBLE"})


def _stays(graph: Graph, operation: Operation, slices: bool, targets: set[int]) -> bool:
    """Whether `operation` is taken over as it is."""
    if operation.opcode in _KEPT:
        return True
    if operation.opcode not in _MOVES:
        return False
    if not slices or operation.attribute("IS_GLOBAL_INPUT"):
        return True
    return operation.id in targets or is_kept(graph, operation)


def _expandable(operation: Operation, context: PassContext) -> bool:
    """Whether there is a rule and every shape is known now; else the finding is reported."""
    known = all(static_shape(tensor.shape) is not None for tensor in (*operation.inputs, *operation.outputs))
    if operation.opcode in RULES and (known or operation.opcode in ("RESHAPE", "VIEW", "ASSEMBLE", "ASSEMBLE_SSA")):
        return True
    reason = "no rule for it yet" if operation.opcode not in RULES else "a dimension is known only at run time"
    context.report(NO_EXPANSION.at(operation.origin, opcode=operation.opcode, reason=reason))
    return False


def run(graph: Graph, context: PassContext) -> Graph:
    """The Tile Graph of a Tensor Graph; Rejected, once every finding is reported, where something has no expansion."""
    slices = bool(context.option("enable_slice", False))
    combine_axis = bool(context.option("combine_axis", True))
    expansion = Expansion(context.builder, slices, combine_axis, context.target.arch)
    targets = in_place_targets(graph)
    complete = True
    for operation in graph.operations:
        if operation.opcode in _DROPPED:
            continue
        if _stays(graph, operation, slices, targets):
            expansion.keep(operation)
            continue
        if not _expandable(operation, context):
            complete = False
            continue
        if operation.opcode in _MOVES:
            tiles = replace(operation.tiles, vector=move_tile(graph, operation))
            operation = replace(operation, tiles=tiles)
        try:
            expansion.expand(operation, RULES[operation.opcode])
        except MissingTile:
            rank = operation.outputs[0].rank
            given = len(operation.tiles.vector or ())
            context.report(TILE_RANK.at(operation.origin, opcode=operation.opcode, given=given, rank=rank))
            complete = False
    if not complete:
        raise Rejected(graph.name)
    expanded = Graph(graph.name, expansion.operations, graph.inputs, graph.outputs, "tile")
    return Edit(expanded, context.builder).finish()


def verify(graph: Graph, context: PassContext) -> None:
    """Every compute operation has a rule, so that no Tensor Graph operation is left, and the structure is sound."""
    check_structure(graph)
