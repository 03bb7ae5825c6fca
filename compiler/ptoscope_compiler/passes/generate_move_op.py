"""GenerateMoveOp: views and assembles that cross memories become the moves of the chip.

Source: `framework/src/passes/tile_graph_pass/data_path/generate_move_op.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..hardware import MemorySpace
from ..ir.graph import Graph, Operation
from .manager import InvalidGraph, PassContext
from .tiles import STRUCTURAL, derived, on_chip

_LOCAL_MOVES = {
    (MemorySpace.L1, MemorySpace.L0A): "L1_TO_L0A",
    (MemorySpace.L1, MemorySpace.L0B): "L1_TO_L0B",
    (MemorySpace.L1, MemorySpace.L0A_MX): "L1_TO_L0A_SCALE",
    (MemorySpace.L1, MemorySpace.L0B_MX): "L1_TO_L0B_SCALE",
    (MemorySpace.L1, MemorySpace.BT): "L1_TO_BT",
    (MemorySpace.L1, MemorySpace.FB): "L1_TO_FIX_QUANT_PRE",
    (MemorySpace.L1, MemorySpace.UB): "L1_COPY_UB",
    (MemorySpace.UB, MemorySpace.L1): "UB_COPY_L1",
    (MemorySpace.L0C, MemorySpace.UB): "L0C_COPY_UB",
    (MemorySpace.L0C, MemorySpace.L1): "L0C_TO_L1",
}
_TRANSPOSED = {"L1_TO_L0A": "L1_TO_L0At", "L1_TO_L0B": "L1_TO_L0Bt"}


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with every structural operation between two memories renamed to its move."""
    return derived(graph, (_moved(operation) for operation in graph.operations))


def _moved(operation: Operation) -> Operation:
    if operation.opcode not in STRUCTURAL:
        return operation
    source, target = operation.inputs[0], operation.outputs[0]
    if not on_chip(source) and not on_chip(target):
        return operation
    if not on_chip(source):
        return replace(operation, opcode="COPY_IN")
    if not on_chip(target):
        return replace(operation, opcode="COPY_OUT")
    if source.memory is target.memory:
        return operation
    assert source.memory is not None and target.memory is not None
    opcode = _LOCAL_MOVES.get((source.memory, target.memory))
    if opcode is None:
        return operation
    if operation.attribute("op_attr_l1_to_l0_transpose"):
        opcode = _TRANSPOSED.get(opcode, opcode)
    return replace(operation, opcode=opcode)


def verify(graph: Graph, context: PassContext) -> None:
    """No structural operation crosses memories any more, and every move is an edge of the chip."""
    for operation in graph.operations:
        if operation.opcode not in STRUCTURAL and operation.opcode not in ("COPY_IN", "COPY_OUT"):
            continue
        source = operation.inputs[0].memory or MemorySpace.GM
        target = operation.outputs[0].memory or MemorySpace.GM
        if operation.opcode in STRUCTURAL and source is not target:
            raise InvalidGraph(f"no move from {source.value} to {target.value}")
        if source is not target and (source, target) not in context.target.moves:
            raise InvalidGraph(f"{context.target.name} cannot move from {source.value} to {target.value}")
