"""From runs of operations to graphs: what a graph reads from global memory, and what it leaves there.

An incast is seen through a VIEW, and what is left by whole tensors is an ASSEMBLE (`MakeIncasts` and `MakeOutcasts` in
`framework/src/interface/function/function.cpp` of hicann/pypto); what is assembled piecewise goes there directly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..ir.graph import Builder, Graph, LogicalTensor, Operation, RawTensor
from ..ir.kernel import Branch, Loop, Rebind, Region, Segment, SetElement, SetScalar
from ..origin import Origin
from ..scalar import Scalar
from .region import OperationNode, SetElementNode, is_partial_write
from .settle import Homes, Move, Run, Settled, SettledBranch, SettledLoop


@dataclass
class Segmenter:
    """Makes the graphs of one kernel. `workspace` collects the buffers that live across them."""

    name: str
    builder: Builder
    homes: Homes

    def __post_init__(self) -> None:
        self.workspace: dict[int, RawTensor] = {}
        self._paths = 0
        self._users: Counter[int] = Counter()

    def region(self, settled: list[Settled]) -> Region:
        """The kernel's tree."""
        self._users = _users(settled)
        return self._region(settled, "")

    def _region(self, settled: Iterable[Settled], loop: str) -> Region:
        nodes: list[Segment | Loop | Branch | SetElement | SetScalar | Rebind] = []
        for item in settled:
            if isinstance(item, Run):
                nodes.extend(self._segment(item, loop))
            elif isinstance(item, SettledLoop):
                node = item.node
                inner = f"{node.index.name}_Unroll{node.attributes.get('unroll', 1)}"
                body = self._region(item.body, inner)
                nodes.append(Loop(node.index, node.start, node.stop, node.step, body, node.origin, node.attributes))
            elif isinstance(item, SettledBranch):
                then, otherwise = self._region(item.then, loop), self._region(item.otherwise, loop)
                assert isinstance(item.node.condition, Scalar)
                nodes.append(Branch(item.node.condition, then, otherwise, item.node.origin))
            elif isinstance(item, SetElementNode):
                raw = self._lasting(self.homes.of(item.tensor))
                raw.name = raw.name or f"tensor_{raw.id}"
                nodes.append(SetElement(raw.name, item.indices, item.value, item.origin))
            else:
                nodes.append(item)
        return tuple(nodes)

    def _lasting(self, raw: RawTensor) -> RawTensor:
        if not raw.parameter:
            self.workspace.setdefault(raw.id, raw)
        return raw

    def _crosses(self, tensor: LogicalTensor) -> bool:
        """Whether `tensor` is needed in more than one graph, or lives in a home of its own."""
        return tensor.raw.parameter or self.homes.has(tensor) or self._users[tensor.id] > 1

    def _segment(self, run: Run, loop: str) -> list[Segment | Rebind]:
        stem = f"{loop}_" if loop else ""
        name = f"{self.name}_{stem}PATH{self._paths}_hiddenfunc"
        self._paths += 1
        assembly = _Assembly(self, run)
        return [Segment(assembly.graph(name)), *assembly.rebinds]


class _Assembly:
    """One graph under construction."""

    def __init__(self, segmenter: Segmenter, run: Run) -> None:
        self._segmenter = segmenter
        self._builder = segmenter.builder
        self._homes = segmenter.homes
        self._run = run
        self._local: dict[int, LogicalTensor] = {}
        self._incasts: dict[int, LogicalTensor] = {}
        self._outcasts: dict[int, LogicalTensor] = {}
        self._views: list[Operation] = []
        self._operations: list[Operation] = []
        self.rebinds: list[Rebind] = []
        self._defined = {
            tensor.id: tensor
            for item in run.items
            if isinstance(item, OperationNode) and not is_partial_write(item.operation)
            for tensor in item.operation.outputs
        }
        self._read = {tensor.id for item in run.items for tensor in _inputs(item)} - set(self._defined)

    def graph(self, name: str) -> Graph:
        moves = list(self._all_moves())
        for move in moves:
            if self._is_assembled(move.value) and move.value.id not in self._local:
                self._local[move.value.id] = self._outcast(self._target(move), move.value)
        for item in self._run.items:
            if isinstance(item, OperationNode):
                self._operation(item.operation)
        for move in moves:
            self._write(move)
        operations = [*self._views, *self._operations]
        return Graph(name, operations, self._incasts.values(), self._outcasts.values())

    def _all_moves(self) -> Iterator[Move]:
        """The moves of the run, and one for each tensor that it makes and another graph needs."""
        moved = {(item.value.id, item.home.id) for item in self._run.items if isinstance(item, Move)}
        yield from (item for item in self._run.items if isinstance(item, Move))
        for item in self._run.items:
            if not isinstance(item, OperationNode):
                continue
            for tensor in item.operation.outputs:
                home = self._homes.of(tensor)
                if self._segmenter._crosses(tensor) and (tensor.id, home.id) not in moved:
                    moved.add((tensor.id, home.id))
                    yield Move(tensor, home, item.operation.origin)

    def _is_assembled(self, tensor: LogicalTensor) -> bool:
        return tensor.id not in self._defined and any(
            is_partial_write(item.operation) and any(output.id == tensor.id for output in item.operation.outputs)
            for item in self._run.items
            if isinstance(item, OperationNode)
        )

    def _target(self, move: Move) -> RawTensor:
        """The home of a move, or a twin of it where the graph still reads what the home held before."""
        home = self._segmenter._lasting(move.home)
        read = any(
            tensor.id in self._read and self._homes.of(tensor) is home
            for item in self._run.items
            for tensor in _inputs(item)
        )
        if not read or self._homes.of(move.value) is home and self._is_assembled(move.value):
            return home
        twin = self._segmenter._lasting(self._homes.new(move.value))
        self.rebinds.append(Rebind(home, twin, move.origin))
        return twin

    def _outcast(self, raw: RawTensor, like: LogicalTensor) -> LogicalTensor:
        if raw.id not in self._outcasts:
            self._outcasts[raw.id] = self._builder.tensor(raw, raw.shape, valid_shape=like.valid_shape)
        return self._outcasts[raw.id]

    def _operation(self, operation: Operation) -> None:
        inputs = tuple(self._input(tensor, operation.origin) for tensor in operation.inputs)
        outputs = tuple(self._output(tensor) for tensor in operation.outputs)
        self._operations.append(replace(operation, id=self._fresh_id(), inputs=inputs, outputs=outputs))

    def _fresh_id(self) -> int:
        return self._builder.operation("", (), (), self._run_origin()).id

    def _run_origin(self) -> Origin:
        item = self._run.items[0]
        return item.operation.origin if isinstance(item, OperationNode) else item.origin

    def _input(self, tensor: LogicalTensor, origin: Origin) -> LogicalTensor:
        if tensor.id not in self._local:
            self._local[tensor.id] = self._incast(tensor, origin)
        return self._local[tensor.id]

    def _incast(self, tensor: LogicalTensor, origin: Origin) -> LogicalTensor:
        raw = self._segmenter._lasting(self._homes.of(tensor))
        if tensor.id not in self._incasts:
            self._incasts[tensor.id] = self._builder.tensor(raw, raw.shape, valid_shape=tensor.valid_shape)
        name = f"INCAST_LOCAL_BUF{len(self._views)}"
        local = self._builder.raw(tensor.shape, tensor.dtype, name, format=raw.format)
        view = self._builder.tensor(local, valid_shape=tensor.valid_shape)
        attributes = {"offset": (0,) * tensor.rank, "IS_GLOBAL_INPUT": True}
        source = self._incasts[tensor.id]
        self._views.append(self._builder.operation("VIEW", (source,), (view,), origin, attributes))
        return view

    def _output(self, tensor: LogicalTensor) -> LogicalTensor:
        if tensor.id not in self._local:
            raw = tensor.raw
            local = self._builder.raw(raw.shape, raw.dtype, raw.name, format=raw.format)
            self._local[tensor.id] = self._builder.tensor(local, tensor.shape, valid_shape=tensor.valid_shape)
        return self._local[tensor.id]

    def _write(self, move: Move) -> None:
        local = self._input(move.value, move.origin)
        if any(local is outcast for outcast in self._outcasts.values()):
            return
        outcast = self._outcast(self._target(move), move.value)
        attributes = {"offset": (0,) * local.rank}
        self._operations.append(self._builder.operation("ASSEMBLE", (local,), (outcast,), move.origin, attributes))


def _inputs(item: OperationNode | Move) -> tuple[LogicalTensor, ...]:
    return item.operation.inputs if isinstance(item, OperationNode) else (item.value,)


def _touched(run: Run) -> set[int]:
    tensors: set[int] = set()
    for item in run.items:
        tensors.update(tensor.id for tensor in _inputs(item))
        if isinstance(item, OperationNode):
            tensors.update(tensor.id for tensor in item.operation.outputs)
    return tensors


def _users(settled: Iterable[Settled]) -> Counter[int]:
    """How many graphs of one way through the kernel touch each tensor; an element that is set lives across graphs."""
    users: Counter[int] = Counter()
    for item in settled:
        if isinstance(item, Run):
            users.update(_touched(item))
        elif isinstance(item, SettledLoop):
            users.update(_users(item.body))
        elif isinstance(item, SettledBranch):
            users.update(_users(item.then) | _users(item.otherwise))
        elif isinstance(item, SetElementNode):
            users[item.tensor.id] += 2
    return users
