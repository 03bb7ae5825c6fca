"""From values to storage: which buffer in global memory each value that crosses a border lives in.

A border lies between two graphs: a loop, a branch, an element that the control flow writes. Values of a loop or branch
get a home; what hands a value on becomes a `Move` into that home, made by the graph before the border.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..ir.graph import Builder, LogicalTensor, RawTensor
from ..ir.kernel import SetScalar
from ..origin import Origin
from ..scalar import Symbol
from .region import (
    BranchNode,
    Carried,
    Carry,
    LoopNode,
    Node,
    OperationNode,
    Phi,
    SetElementNode,
    is_partial_write,
    references,
    scalars_of,
)


@dataclass(frozen=True, slots=True)
class Move:
    """`home` gets what `value` holds."""

    value: LogicalTensor
    home: RawTensor
    origin: Origin


@dataclass(slots=True)
class Run:
    """Operations without a border between them: one graph."""

    items: list[OperationNode | Move] = field(default_factory=list)


@dataclass(slots=True)
class SettledLoop:
    node: LoopNode
    body: list[Settled]


@dataclass(slots=True)
class SettledBranch:
    node: BranchNode
    then: list[Settled]
    otherwise: list[Settled]


Settled: TypeAlias = "Run | SettledLoop | SettledBranch | SetElementNode | SetScalar"


class Homes:
    """The buffer of each value that has one of its own: `of(tensor)` where it lives when it crosses a border."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._homes: dict[int, RawTensor] = {}

    def of(self, tensor: LogicalTensor) -> RawTensor:
        return self._homes.get(tensor.id, tensor.raw)

    def has(self, tensor: LogicalTensor) -> bool:
        return tensor.id in self._homes

    def give(self, tensor: LogicalTensor, home: RawTensor) -> None:
        self._homes[tensor.id] = home

    def new(self, tensor: LogicalTensor) -> RawTensor:
        """A buffer like `tensor`."""
        return self._builder.raw(tensor.shape, tensor.dtype, tensor.raw.name, format=tensor.raw.format)


class Settler:
    """Settles one kernel. `finals` is what each written parameter holds at the end, by its raw tensor."""

    def __init__(self, builder: Builder, finals: Mapping[int, tuple[RawTensor, LogicalTensor]], origin: Origin) -> None:
        self.homes = Homes(builder)
        self._finals = finals
        self._origin = origin
        self._used: Counter[int | str] = Counter()

    def settle(self, nodes: list[Node]) -> list[Settled]:
        """The nodes as runs between borders, with the moves that hand values over."""
        self._used = Counter(_references(nodes))
        self._used.update(tensor.id for _, tensor in self._finals.values())
        producers = _producers(nodes)
        for raw, tensor in self._finals.values():
            self._adopt(tensor, raw, producers)
        moves = [
            Move(tensor, raw, self._origin) for raw, tensor in self._finals.values() if self.homes.of(tensor) is not raw
        ]
        return self._region(nodes, moves)

    def _adopt(
        self, tensor: LogicalTensor, home: RawTensor, producers: Mapping[int, Carry | Phi | OperationNode]
    ) -> None:
        """Let a parameter be the home of what ends up in it, so that nothing is copied at the end."""
        producer = producers.get(tensor.id)
        if producer is None or self.homes.has(tensor) or tensor.raw.parameter:
            return
        self.homes.give(tensor, home)
        if isinstance(producer, Carry):
            assert isinstance(producer.entry, LogicalTensor)
            self.homes.give(producer.entry, home)
            handed: tuple[Carried | None, ...] = (producer.initial, producer.following)
        elif isinstance(producer, Phi):
            handed = (producer.then, producer.otherwise)
        else:
            return
        for value in handed:
            if isinstance(value, LogicalTensor) and self._used[value.id] == 1:
                self._adopt(value, home, producers)

    def _region(self, nodes: Iterable[Node], last: Iterable[Move | SetScalar] = ()) -> list[Settled]:
        settled: list[Settled] = []
        for node in nodes:
            if isinstance(node, OperationNode):
                _append(settled, node)
            elif isinstance(node, LoopNode):
                self._loop(node, settled)
            elif isinstance(node, BranchNode):
                settled.append(self._branch(node))
            else:
                settled.append(node)
        for item in last:
            _append(settled, item)
        return settled

    def _loop(self, node: LoopNode, settled: list[Settled]) -> None:
        ending: list[Move | SetScalar] = []
        scalars: list[tuple[Symbol, Carry]] = []
        for carry in node.carries:
            if isinstance(carry.entry, LogicalTensor):
                home = self._home_of_carry(carry)
                if isinstance(carry.initial, LogicalTensor) and self.homes.of(carry.initial) is not home:
                    _append(settled, Move(carry.initial, home, node.origin))
                if isinstance(carry.following, LogicalTensor) and self.homes.of(carry.following) is not home:
                    ending.append(Move(carry.following, home, node.origin))
            else:
                if carry.initial is not None and not isinstance(carry.initial, LogicalTensor):
                    settled.append(SetScalar(carry.entry, carry.initial, node.origin))
                scalars.append((carry.entry, carry))
        ending.extend(_parallel_assignment(scalars, node.origin))
        settled.append(SettledLoop(node, self._region(node.body, ending)))
        for entry, carry in scalars:
            if carry.result != entry:
                assert isinstance(carry.result, Symbol)
                settled.append(SetScalar(carry.result, entry, node.origin))

    def _home_of_carry(self, carry: Carry) -> RawTensor:
        assert isinstance(carry.entry, LogicalTensor) and isinstance(carry.result, LogicalTensor)
        if self.homes.has(carry.result):
            return self.homes.of(carry.result)
        home = self.homes.new(carry.result)
        self.homes.give(carry.result, home)
        self.homes.give(carry.entry, home)
        return home

    def _branch(self, node: BranchNode) -> SettledBranch:
        endings: tuple[list[Move | SetScalar], list[Move | SetScalar]] = ([], [])
        for phi in node.phis:
            if isinstance(phi.result, LogicalTensor):
                if not self._used[phi.result.id]:
                    continue
                if not self.homes.has(phi.result):
                    self.homes.give(phi.result, self.homes.new(phi.result))
                home = self.homes.of(phi.result)
                for ending, value in zip(endings, (phi.then, phi.otherwise), strict=False):
                    if isinstance(value, LogicalTensor) and self.homes.of(value) is not home:
                        ending.append(Move(value, home, node.origin))
            elif self._used[str(phi.result)]:
                for ending, value in zip(endings, (phi.then, phi.otherwise), strict=False):
                    if value is not None and not isinstance(value, LogicalTensor):
                        ending.append(SetScalar(phi.result, value, node.origin))
        then = self._region(node.then, endings[0])
        return SettledBranch(node, then, self._region(node.otherwise, endings[1]))


def _append(settled: list[Settled], item: OperationNode | Move | SetScalar) -> None:
    if isinstance(item, SetScalar):
        settled.append(item)
        return
    if not settled or not isinstance(settled[-1], Run):
        settled.append(Run())
    run = settled[-1]
    assert isinstance(run, Run)
    run.items.append(item)


def _parallel_assignment(scalars: list[tuple[Symbol, Carry]], origin: Origin) -> list[SetScalar]:
    """The next values of all carried scalars, none of which may see another's new value."""
    assignments = [(entry, carry.following) for entry, carry in scalars if carry.following != entry]
    if len(assignments) == 1:
        entry, value = assignments[0]
        assert not isinstance(value, LogicalTensor)
        return [SetScalar(entry, value, origin)]
    steps: list[SetScalar] = []
    for entry, value in assignments:
        assert not isinstance(value, LogicalTensor)
        steps.append(SetScalar(Symbol(f"{entry.name}_next"), value, origin))
    steps.extend(SetScalar(entry, Symbol(f"{entry.name}_next"), origin) for entry, _ in assignments)
    return steps


def _producers(nodes: Iterable[Node]) -> dict[int, Carry | Phi | OperationNode]:
    """What defines each tensor."""
    found: dict[int, Carry | Phi | OperationNode] = {}
    for node in nodes:
        if isinstance(node, OperationNode):
            for tensor in node.operation.outputs:
                found.setdefault(tensor.id, node)
        elif isinstance(node, LoopNode):
            found.update(_producers(node.body))
            found.update({carry.result.id: carry for carry in node.carries if isinstance(carry.result, LogicalTensor)})
        elif isinstance(node, BranchNode):
            found.update({**_producers(node.then), **_producers(node.otherwise)})
            found.update({phi.result.id: phi for phi in node.phis if isinstance(phi.result, LogicalTensor)})
    return found


def _references(nodes: Iterable[Node]) -> Iterable[int | str]:
    for node in nodes:
        if isinstance(node, OperationNode):
            operation = node.operation
            written = operation.outputs if is_partial_write(operation) else ()
            for value in (*operation.inputs, *written, *scalars_of(operation)):
                yield from references(value)
        elif isinstance(node, LoopNode):
            for bound in (node.start, node.stop, node.step):
                yield from references(bound)
            for carry in node.carries:
                for handed in (carry.initial, carry.following):
                    yield from references(handed)
            yield from _references(node.body)
        elif isinstance(node, BranchNode):
            yield from references(node.condition)
            for phi in node.phis:
                for handed in (phi.then, phi.otherwise):
                    yield from references(handed)
            yield from _references(node.then)
            yield from _references(node.otherwise)
        else:
            for value in (node.tensor, *node.indices, node.value):
                yield from references(value)
