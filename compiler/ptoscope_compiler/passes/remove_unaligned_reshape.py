"""RemoveUnalignedReshape: a reshape of a tile whose padding moves goes through global memory.

Source: `framework/src/passes/tile_graph_pass/graph_constraint/remove_unaligned_reshape_op.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation
from .manager import InvalidGraph, PassContext
from .tiles import derived, on_chip, reshaped_strides, strides


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with each such RESHAPE as RESHAPE_COPY_OUT and RESHAPE_COPY_IN."""
    result: list[Operation] = []
    for operation in graph.operations:
        if operation.opcode != "RESHAPE" or _keeps_places(operation) or not on_chip(operation.outputs[0]):
            result.append(operation)
            continue
        source, target = operation.inputs[0], operation.outputs[0]
        place = context.builder.new(source.shape, source.dtype, memory=MemorySpace.GM, valid_shape=source.valid_shape)
        frame = replace(context.builder.raw(target.shape, target.dtype), storage=place.raw)
        view = context.builder.tensor(frame, valid_shape=target.valid_shape, memory=MemorySpace.GM)
        for opcode, inputs, outputs in (("RESHAPE_COPY_OUT", source, place), ("RESHAPE_COPY_IN", view, target)):
            result.append(
                context.builder.operation(
                    opcode,
                    (inputs,),
                    (outputs,),
                    operation.origin,
                    operation.attributes,
                    operation.tiles,
                    operation.label,
                    operation.subgraph,
                )  # fmt: skip
            )
    return derived(graph, result)


def _keeps_places(operation: Operation) -> bool:
    source, target = operation.inputs[0], operation.outputs[0]
    if not on_chip(source) and not on_chip(target):
        return True
    steps = reshaped_strides(source.shape, strides(source.raw), target.shape)
    return steps is not None and _same_steps(target, steps)


def _same_steps(tensor: LogicalTensor, steps: tuple[object, ...]) -> bool:
    own = strides(tensor.raw)
    return all(extent == 1 or a == b for extent, a, b in zip(tensor.shape, own, steps, strict=True))


def verify(graph: Graph, context: PassContext) -> None:
    """Every RESHAPE on chip keeps each element in its place."""
    for operation in graph.operations:
        if operation.opcode == "RESHAPE" and not _keeps_places(operation):
            raise InvalidGraph("RESHAPE would move elements on chip")
