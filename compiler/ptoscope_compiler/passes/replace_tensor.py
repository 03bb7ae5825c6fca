"""ReplaceTensor: tensors that are the same memory get one storage.

A view lies in its source, an assembled part in its whole, a reshaped tensor over its source (or, where the result has
a fixed place, the source over the result), an accumulator in its predecessor. Source:
`framework/src/passes/tile_graph_pass/graph_constraint/{replace_tensor,inplace_process}.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..hardware import MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation, RawTensor
from ..scalar import ScalarLike, add
from .manager import InvalidGraph, PassContext
from .tiles import ASSEMBLES, BLOCK_BYTES, VIEWS, derived, linear_offset, on_chip, reshaped_strides, root, strides

_ACCUMULATES = frozenset({"A_MULACC_B"})


@dataclass(frozen=True, slots=True)
class _Within:
    """A raw tensor that is the part of `whole` at `offset`."""

    whole: RawTensor
    offset: tuple[ScalarLike, ...]


@dataclass(frozen=True, slots=True)
class _Over:
    """A raw tensor that holds the elements of `tensor` in another shape."""

    tensor: LogicalTensor
    shape: tuple[ScalarLike, ...]


def run(graph: Graph, context: PassContext) -> Graph:
    """The graph with every alias resolved; operations that only name an alias stay, and move nothing."""
    aliases = _Aliases(graph)
    for operation in reversed(graph.operations):
        aliases.place_parts(operation)
    for operation in graph.operations:
        aliases.place_results(operation)
    tensors = {tensor.id: aliases.resolved(tensor) for tensor in graph.tensors()}
    changed = {key: tensor for key, tensor in tensors.items() if tensor is not None}
    return derived(graph, graph.operations, changed)


class _Aliases:
    def __init__(self, graph: Graph) -> None:
        self._alias: dict[int, _Within | _Over] = {}
        self._fixed = {tensor.raw.id for tensor in (*graph.inputs, *graph.outputs)}
        self._fixed.update(tensor.raw.id for tensor in graph.tensors() if tensor.raw.parameter)
        self._fixed.update(tensor.raw.id for tensor in graph.tensors() if tensor.raw.storage is not None)
        self._frames: dict[int, RawTensor] = {}

    def place_parts(self, operation: Operation) -> None:
        """Lay what is assembled into its whole, and what is reshaped into a fixed place over that place."""
        if not _stays_in_memory(operation):
            return
        source, target = operation.inputs[0], operation.outputs[0]
        if operation.opcode in ASSEMBLES:
            offset = _sum(target.offset, operation.attributes["offset"])
            if self._free(source) and _aligned(target, offset) and self._root(target.raw) != source.raw.id:
                self._bind(source, _Within(target.raw, offset))
        elif not on_chip(target) and self._has_place(target) and self._free(source):
            self._bind(source, _Over(target, source.shape))

    def place_results(self, operation: Operation) -> None:
        """Lay views into their source, and reshaped and accumulated results over theirs."""
        if operation.opcode in _ACCUMULATES:
            accumulator = next((t for t in operation.inputs[2:] if t.memory is MemorySpace.L0C), None)
            target = operation.outputs[0]
            if accumulator is not None and self._free(target):
                self._bind(target, _Within(accumulator.raw, accumulator.offset))
            return
        if not _stays_in_memory(operation):
            return
        source, target = operation.inputs[0], operation.outputs[0]
        if operation.opcode in VIEWS and self._free(target):
            offset = _sum(source.offset, operation.attributes["offset"])
            if _aligned(source, offset):
                self._bind(target, _Within(source.raw, offset))
        elif operation.opcode == "RESHAPE" and self._free(target):
            self._bind(target, _Over(source, target.shape))

    def _free(self, tensor: LogicalTensor) -> bool:
        """Whether the storage of `tensor` is its own, all of it, and may lie anywhere."""
        return all(start == 0 for start in tensor.offset) and not self._has_place(tensor)

    def _has_place(self, tensor: LogicalTensor) -> bool:
        return tensor.raw.id in self._fixed or tensor.raw.id in self._alias

    def _bind(self, tensor: LogicalTensor, alias: _Within | _Over) -> None:
        target = alias.whole if isinstance(alias, _Within) else alias.tensor.raw
        if target.id == tensor.raw.id:
            return
        self._alias[tensor.raw.id] = alias
        if target.id in self._fixed:
            self._fixed.add(tensor.raw.id)

    def _root(self, raw: RawTensor) -> int:
        while raw.id in self._alias:
            alias = self._alias[raw.id]
            raw = alias.whole if isinstance(alias, _Within) else alias.tensor.raw
        return raw.id

    def resolved(self, tensor: LogicalTensor) -> LogicalTensor | None:
        """`tensor` in its final storage; None where nothing changes."""
        raw, offset = tensor.raw, tensor.offset
        while raw.id in self._alias:
            alias = self._alias[raw.id]
            if isinstance(alias, _Over):
                raw = self._frame(raw, alias)
                break
            raw, offset = alias.whole, _sum(offset, alias.offset)
        return None if raw is tensor.raw else replace(tensor, raw=raw, offset=offset)

    def _frame(self, raw: RawTensor, alias: _Over) -> RawTensor:
        if raw.id not in self._frames:
            under = self.resolved(alias.tensor) or alias.tensor
            steps = reshaped_strides(under.shape, strides(under.raw), alias.shape)
            if steps is None:
                raise InvalidGraph(f"the elements of {under.shape} do not lie in the order of {alias.shape}")
            base = linear_offset(under.raw, under.offset)
            self._frames[raw.id] = replace(raw, storage=root(under.raw), base=base, strides=steps)
        return self._frames[raw.id]


def _stays_in_memory(operation: Operation) -> bool:
    if operation.opcode not in (*VIEWS, *ASSEMBLES, "RESHAPE"):
        return False
    source, target = operation.inputs[0], operation.outputs[0]
    return on_chip(source) == on_chip(target) and (not on_chip(source) or source.memory is target.memory)


def _sum(left: tuple[ScalarLike, ...], right: tuple[ScalarLike, ...]) -> tuple[ScalarLike, ...]:
    return tuple(add(a, b) for a, b in zip(left, right, strict=True))


def _aligned(tensor: LogicalTensor, offset: tuple[ScalarLike, ...]) -> bool:
    """Whether a part at `offset` starts on a block, where the memory asks for that."""
    if not on_chip(tensor):
        return True
    start = linear_offset(tensor.raw, offset)
    return isinstance(start, int) and start * tensor.dtype.bits % (BLOCK_BYTES * 8) == 0


def verify(graph: Graph, context: PassContext) -> None:
    """Within global memory, every view, assemble and reshape has become an alias."""
    for operation in graph.operations:
        if not _stays_in_memory(operation) or on_chip(operation.inputs[0]):
            continue
        if root(operation.inputs[0].raw).id != root(operation.outputs[0].raw).id:
            raise InvalidGraph(f"{operation.opcode} between two places in global memory is not an alias")
