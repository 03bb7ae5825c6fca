"""SubgraphToFunction: each group becomes a call; groups of the same structure call the same leaf function.

What differs between such groups (windows of global memory, extents known at run time, scalars) becomes a formal
parameter of the leaf function. Source: `framework/src/passes/tile_graph_pass/subgraph_to_function.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..hardware import CoreKind, MemorySpace
from ..ir.execute import ExecuteGraph, LeafCall, LeafFunction
from ..ir.graph import Graph, LogicalTensor, Operation, RawTensor, changed
from ..scalar import Scalar, ScalarLike, Symbol, add
from .accesses import Access, History
from .manager import InvalidGraph, PassContext
from .tiles import core_kind, is_alias, on_chip, root, strides

_WINDOW_OF_INPUT = frozenset({"COPY_IN"})
_WINDOW_OF_OUTPUT = frozenset({"COPY_OUT"})


def run(graph: Graph, context: PassContext) -> ExecuteGraph:
    """The execute graph of a segment: leaf functions by name, calls in topological order with what they wait for."""
    groups: dict[int, list[Operation]] = {}
    for operation in graph.operations:
        groups.setdefault(operation.subgraph, []).append(operation)
    leaves: dict[str, LeafFunction] = {}
    names: dict[object, str] = {}
    calls: list[LeafCall] = []
    history = History()
    for number in sorted(groups):
        group = _Group(groups[number])
        name = names.get(group.key)
        if name is None:
            name = names[group.key] = f"{graph.name}_leaf{len(leaves)}"
            leaves[name] = group.leaf(name)
        calls.append(group.call(name, sorted(history.order(number, group.accesses()))))
    position = {number: index for index, number in enumerate(sorted(groups))}
    calls = [replace(call, depends=tuple(position[number] for number in call.depends)) for call in calls]
    return ExecuteGraph(graph.name, leaves, tuple(calls))


@dataclass(frozen=True, slots=True)
class _Operand:
    """A window of global memory that an operation of the group uses."""

    tensor: LogicalTensor
    writes: bool
    moves: bool
    """Whether elements are read or written; an alias only names them."""

    @property
    def access(self) -> Access:
        return Access(self.tensor.raw, self.tensor.offset, self.tensor.shape, self.writes)


class _Group:
    """One group: its structure as a key, its windows, and the scalars that are its own."""

    def __init__(self, operations: list[Operation]) -> None:
        self.operations = [_with_windows(operation) for operation in operations]
        self.operands = [
            _Operand(tensor, writes, not is_alias(operation))
            for operation in self.operations
            for side, writes in ((operation.inputs, False), (operation.outputs, True))
            for tensor in side
            if not on_chip(tensor)
        ]
        self._places = _places(self.operands)
        self._formals: dict[Scalar, Symbol] = {}
        self._storages: dict[int, int] = {}
        self._seen = 0
        self.leaf_operations = [self._formal(operation) for operation in self.operations]
        self.key = tuple(part for operation in self.leaf_operations for part in self._structure(operation))

    def _scalar(self, value: ScalarLike) -> ScalarLike:
        """`value` if it is known, else the formal parameter that stands for it."""
        if not isinstance(value, Scalar):
            return value
        return self._formals.setdefault(value, Symbol(f"s{len(self._formals)}"))

    def _formal(self, operation: Operation) -> Operation:
        return changed(
            operation,
            inputs=tuple(self._tensor(tensor) for tensor in operation.inputs),
            outputs=tuple(self._tensor(tensor) for tensor in operation.outputs),
            attributes={name: self._attribute(value) for name, value in operation.attributes.items()},
            subgraph=0,
        )

    def _attribute(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(self._attribute(item) for item in value)
        return self._scalar(value) if isinstance(value, Scalar) else value

    def _tensor(self, tensor: LogicalTensor) -> LogicalTensor:
        valid = tuple(self._scalar(extent) for extent in tensor.valid_shape)
        if on_chip(tensor):
            offset = tuple(self._scalar(start) for start in tensor.offset)
            return changed(tensor, valid_shape=valid, offset=offset)
        number, self._seen = self._seen, self._seen + 1
        raw = RawTensor(
            self._places[number],
            tuple(self._scalar(extent) for extent in tensor.raw.shape),
            tensor.dtype,
            f"arg{number}",
            tensor.raw.format,
            strides=tuple(self._scalar(step) for step in strides(tensor.raw)),
        )
        shape = tuple(self._scalar(extent) for extent in tensor.shape)
        return LogicalTensor(tensor.id, raw, shape, (0,) * tensor.rank, valid, MemorySpace.GM)

    def _structure(self, operation: Operation) -> Iterable[object]:
        yield operation.opcode
        yield operation.origin.span
        yield repr(sorted(operation.attributes.items(), key=lambda item: item[0]))
        for side in (operation.inputs, operation.outputs):
            for tensor in side:
                yield self._tensor_structure(tensor)

    def _tensor_structure(self, tensor: LogicalTensor) -> tuple[object, ...]:
        raw = tensor.raw
        common = (tensor.dtype.name, tensor.shape, tensor.offset, tensor.valid_shape, strides(raw))
        if on_chip(tensor):
            storage = root(raw)
            return (self._number(storage.id), tensor.memory, raw.shape, raw.base, storage.shape, *common)
        return (raw.id, raw.format, *common)

    def _number(self, storage: int) -> int:
        return self._storages.setdefault(storage, len(self._storages))

    def accesses(self) -> Iterable[Access]:
        return (operand.access for operand in self.operands if operand.moves)

    def leaf(self, name: str) -> LeafFunction:
        kinds = {kind for operation in self.operations if (kind := core_kind(operation)) is not None}
        inputs, outputs = [], []
        for operation in self.leaf_operations:
            inputs += [tensor for tensor in operation.inputs if not on_chip(tensor)]
            outputs += [tensor for tensor in operation.outputs if not on_chip(tensor)]
        graph = Graph(name, self.leaf_operations, inputs, outputs, "block")
        return LeafFunction(name, CoreKind.AIC if CoreKind.AIC in kinds else CoreKind.AIV, graph)

    def call(self, leaf: str, depends: list[int]) -> LeafCall:
        ordered = sorted(self.operands, key=lambda operand: operand.writes)
        tensors = tuple(operand.tensor for operand in ordered)
        return LeafCall(
            leaf,
            tensors,
            tuple(root(tensor.raw) for tensor in tensors),
            self.operations[0].origin,
            tuple(depends),
            scalars={formal.name: actual for actual, formal in self._formals.items()},
        )


def _with_windows(operation: Operation) -> Operation:
    """`operation` with the windows that it copies as operands, in place of the whole tensors and an offset."""
    inputs, outputs = operation.inputs, operation.outputs
    if operation.opcode in _WINDOW_OF_INPUT:
        inputs = (_window(inputs[0], operation.attributes["offset"], outputs[0]),)
    elif operation.opcode in _WINDOW_OF_OUTPUT:
        outputs = (_window(outputs[0], operation.attributes["offset"], inputs[0]),)
    else:
        return operation
    attributes = {name: value for name, value in operation.attributes.items() if name != "offset"}
    return changed(operation, inputs=inputs, outputs=outputs, attributes=attributes)


def _window(whole: LogicalTensor, offset: tuple[ScalarLike, ...], tile: LogicalTensor) -> LogicalTensor:
    """The window of `whole` at `offset` that a copy of `tile` covers."""
    start = tuple(add(a, b) for a, b in zip(whole.offset, offset, strict=True))
    return LogicalTensor(whole.id, whole.raw, tile.shape, start, tile.valid_shape, MemorySpace.GM)


def _places(operands: list[_Operand]) -> list[int]:
    """A number per operand, the same for those that may touch the same elements while one of them writes.

    Operands of aliases, which touch nothing, have one number of their own. The numbers serve as ids of the formal raw
    tensors; they are negative, apart from those of tiles.
    """
    places = list(range(len(operands)))

    def place(index: int) -> int:
        while places[index] != index:
            index = places[index]
        return index

    history = History()
    aliases = [index for index, operand in enumerate(operands) if not operand.moves]
    for index, operand in enumerate(operands):
        if not operand.moves:
            places[index] = aliases[0]
            continue
        for other in history.order(index, (operand.access,)):
            low, high = sorted((place(index), place(other)))
            places[high] = low
    return [-1 - place(index) for index in range(len(operands))]


def verify(state: ExecuteGraph, context: PassContext) -> None:
    """Every call has a leaf function with as many windows as the call, and waits for earlier calls only."""
    for index, call in enumerate(state.calls):
        leaf = state.leaves[call.leaf]
        if len(call.operands) != len(leaf.graph.inputs) + len(leaf.graph.outputs):
            raise InvalidGraph(f"call {index} of {call.leaf} has {len(call.operands)} windows")
        if any(other >= index for other in call.depends):
            raise InvalidGraph(f"call {index} waits for a later one")
