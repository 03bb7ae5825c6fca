"""PreGraphProcess: accumulators get the element type in which the cube adds up.

Source: `framework/src/passes/tile_graph_pass/graph_constraint/pre_graph` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..dtype import FP16, FP32, INT32, DType
from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation, RawTensor
from .manager import InvalidGraph, PassContext
from .tiles import derived

_HALF_PRECISION_CUBES = frozenset({"3003", "3113"})


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with accumulators in INT32 or FP32 (FP16 on the Kirin cubes)."""
    raws: dict[int, RawTensor] = {}
    tensors: dict[int, LogicalTensor] = {}
    for operation in graph.operations:
        for tensor in operation.outputs:
            if tensor.memory is MemorySpace.L0C and tensor.id not in tensors:
                dtype = _accumulator_type(operation, context.target.arch)
                raw = raws.setdefault(tensor.raw.id, replace(tensor.raw, dtype=dtype))
                tensors[tensor.id] = replace(tensor, raw=raw)
    return derived(graph, graph.operations, tensors)


def _accumulator_type(operation: Operation, arch: str) -> DType:
    if operation.inputs and not operation.inputs[0].dtype.is_float:
        return INT32
    return FP16 if arch in _HALF_PRECISION_CUBES else FP32


def verify(graph: Graph, context: PassContext) -> None:
    """Accumulators have one of the types that the cube adds in."""
    for tensor in graph.tensors():
        if tensor.memory is MemorySpace.L0C and tensor.dtype not in (INT32, FP32, FP16):
            raise InvalidGraph(f"an accumulator of type {tensor.dtype}")
