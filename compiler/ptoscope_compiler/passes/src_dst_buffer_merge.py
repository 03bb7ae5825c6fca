"""SrcDstBufferMerge: a result takes over the memory of an operand that nothing else needs.

Source: `framework/src/passes/block_graph_pass/memory_reuse/merge_src_dst_buffer.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import replace

from ..hardware import MemorySpace
from ..ir.execute import ExecuteGraph, LeafFunction
from ..ir.graph import LogicalTensor, Operation, RawTensor
from .leaves import map_leaves
from .manager import InvalidGraph, PassContext
from .opcodes import NEVER_IN_PLACE
from .tiles import on_chip, raw_bytes, rewired, root


def run(state: ExecuteGraph, context: PassContext) -> ExecuteGraph:
    """The execute graph where such results lie in the storage of that operand."""
    return map_leaves(state, _merged)


def _merged(leaf: LeafFunction) -> list[Operation]:
    consumers: dict[int, set[int]] = {}
    members: dict[int, set[int]] = {}
    for operation in leaf.graph.operations:
        for tensor in operation.inputs:
            consumers.setdefault(root(tensor.raw).id, set()).add(operation.id)
        for tensor in (*operation.inputs, *operation.outputs):
            members.setdefault(root(tensor.raw).id, set()).add(tensor.raw.id)
    moved: dict[int, LogicalTensor] = {}
    result: list[Operation] = []
    for operation in leaf.graph.operations:
        operation = rewired(operation, moved)
        source = _reusable(operation, consumers, members)
        if source is not None:
            target = operation.outputs[0]
            storage = root(source.raw)
            consumers[storage.id] = consumers.get(target.raw.id, set())
            raw: RawTensor = replace(target.raw, storage=storage)
            moved[target.id] = replace(target, raw=raw)
            operation = rewired(operation, moved)
        result.append(operation)
    return result


def _reusable(
    operation: Operation, consumers: dict[int, set[int]], members: dict[int, set[int]]
) -> LogicalTensor | None:
    """The first operand whose storage the result may take over."""
    if operation.opcode in NEVER_IN_PLACE or not operation.outputs or not operation.inputs:
        return None
    target = operation.outputs[0]
    if target.memory is not MemorySpace.UB or target.raw.storage is not None or len(members[target.raw.id]) > 1:
        return None
    for source in operation.inputs:
        storage = root(source.raw)
        if (
            on_chip(source)
            and source.memory is target.memory
            and storage.id != target.raw.id
            and raw_bytes(storage) == raw_bytes(target.raw)
            and source.dtype.bits == target.dtype.bits
            and consumers.get(storage.id, set()) <= {operation.id}
        ):
            return source
    return None


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """A shared storage is large enough for all that lie in it."""
    for leaf in state.leaves.values():
        for operation in leaf.graph.operations:
            for tensor in operation.outputs:
                if on_chip(tensor) and raw_bytes(tensor.raw) > raw_bytes(root(tensor.raw)) and not tensor.raw.strides:
                    raise InvalidGraph(f"a result of {operation.opcode} is larger than the storage it took over")
