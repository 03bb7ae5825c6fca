"""AxisCombine: a column operand that an instruction stretches is first spread over one block per row.

Source: `framework/src/passes/tile_graph_pass/graph_constraint/axis_combine.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation
from ..scalar import ScalarLike
from .column_tiles import INLINE_BROADCAST, combined, is_column
from .manager import InvalidGraph, PassContext
from .tiles import BLOCK_BYTES, align, derived, with_attributes


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with a BRCB (or, for a column stored with gaps, an EXPAND) before each such operand."""
    compact = combined(graph)
    result: list[Operation] = []
    for operation in graph.operations:
        if operation.opcode in INLINE_BROADCAST and len(operation.inputs) == 2:
            operation = _spread(operation, compact, result, context)
        result.append(operation)
    return derived(graph, result)


def _spread(operation: Operation, compact: frozenset[int], result: list[Operation], context: PassContext) -> Operation:
    for index in (0, 1):
        column, other = operation.inputs[index], operation.inputs[1 - index]
        if not is_column(column) or other.shape[-1] == 1:
            continue
        if column.id not in compact:
            operation = _expanded(operation, index, result, context)
        elif context.target.arch == "2201":
            width = align(1, BLOCK_BYTES // column.dtype.bytes)
            tile = _tile(column, (*column.shape[:-1], width), width, context)
            result.append(
                context.builder.operation(
                    "BRCB", (column,), (tile,), operation.origin, {}, operation.tiles, subgraph=operation.subgraph
                )
            )
            operation = with_attributes(_with_input(operation, index, tile), brcb_idx=index + 1)
        else:
            operation = with_attributes(operation, brcb_idx=index + 1)
    return operation


def _expanded(operation: Operation, index: int, result: list[Operation], context: PassContext) -> Operation:
    column, other = operation.inputs[index], operation.inputs[1 - index]
    shape = (*column.shape[:-1], other.shape[-1])
    tile = _tile(column, shape, other.valid_shape[-1], context)
    details = {"op_attr_expand_dims": [column.rank - 1], "op_attr_validShape": tile.valid_shape}
    result.append(
        context.builder.operation(
            "EXPAND", (column,), (tile,), operation.origin, details, operation.tiles, subgraph=operation.subgraph
        )
    )
    operation = _with_input(operation, index, tile)
    sides = [*operation.attribute("op_attr_brc_operand", [0] * column.rank)[:-1], 0]
    attributes = {name: value for name, value in operation.attributes.items() if name != "op_attr_brc_operand"}
    if any(sides):
        attributes["op_attr_brc_operand"] = sides
    return replace(operation, attributes=attributes)


def _tile(
    column: LogicalTensor, shape: tuple[ScalarLike, ...], valid: ScalarLike, context: PassContext
) -> LogicalTensor:
    return context.builder.new(
        shape,
        column.dtype,
        memory=MemorySpace.UB,
        valid_shape=(*column.valid_shape[:-1], valid),
    )


def _with_input(operation: Operation, index: int, tensor: LogicalTensor) -> Operation:
    inputs = list(operation.inputs)
    inputs[index] = tensor
    return replace(operation, inputs=tuple(inputs))


def verify(graph: Graph, context: PassContext) -> None:
    """On 2201, no instruction is left to stretch a column by itself."""
    if context.target.arch != "2201":
        return
    for operation in graph.operations:
        if operation.opcode in INLINE_BROADCAST and len(operation.inputs) == 2:
            left, right = operation.inputs
            if any(is_column(a) and b.shape[-1] != 1 for a, b in ((left, right), (right, left))):
                raise InvalidGraph(f"{operation.opcode} would stretch a column itself")
