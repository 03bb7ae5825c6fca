"""InferDynShape: how much of each tile on chip is valid, where only run time knows.

Source: `framework/src/passes/tile_graph_pass/graph_constraint/infer_dyn_shape.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.graph import Graph, LogicalTensor, Operation
from ..scalar import ScalarLike, known
from .manager import InvalidGraph, PassContext
from .opcodes import propagates
from .tiles import derived, on_chip, rewired


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph where element-wise results are valid as far as their operands are."""
    tensors: dict[int, LogicalTensor] = {}
    operations: list[Operation] = []
    for operation in graph.operations:
        operation = rewired(operation, tensors)
        if propagates(operation.opcode) and on_chip(operation.outputs[0]):
            result = operation.outputs[0]
            valid = _valid(operation)
            if valid != result.valid_shape:
                tensors[result.id] = replace(result, valid_shape=valid)
        operations.append(operation)
    return derived(graph, operations, tensors)


def _valid(operation: Operation) -> tuple[ScalarLike, ...]:
    """The result's valid shape, with axes taken from an operand that has the same extent and knows better."""
    result = operation.outputs[0]
    valid = list(result.valid_shape)
    for axis, extent in enumerate(result.shape):
        if valid[axis] != extent:
            continue
        for source in operation.inputs:
            if source.rank == result.rank and source.shape[axis] == extent and not known(source.valid_shape[axis]):
                valid[axis] = source.valid_shape[axis]
    return tuple(valid)


def verify(graph: Graph, context: PassContext) -> None:
    """A valid shape has as many axes as the shape, and is nowhere larger."""
    for tensor in graph.tensors():
        if len(tensor.valid_shape) != tensor.rank:
            raise InvalidGraph(f"valid shape {tensor.valid_shape} of a tensor of shape {tensor.shape}")
        for valid, extent in zip(tensor.valid_shape, tensor.shape, strict=True):
            if isinstance(valid, int) and isinstance(extent, int) and valid > extent:
                raise InvalidGraph(f"valid shape {tensor.valid_shape} exceeds {tensor.shape}")
