"""A Tensor-mode kernel as a tree: straight-line graphs between loops and branches.

Each `Segment` holds what the official compiler calls a hidden function (`..._PATH0_hiddenfunc_5`): the operations
between two points of control flow. Tensors that cross segments live in global memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..origin import Origin
from ..scalar import Scalar, ScalarLike, Symbol
from .execute import ExecuteGraph
from .graph import Graph, RawTensor


@dataclass(frozen=True, slots=True)
class Segment:
    """Straight-line code: its graph at the current stage, and, once SubgraphToFunction ran, its execute graph."""

    graph: Graph
    execute: ExecuteGraph | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """`for index in pypto.loop(start, stop, step)`; one per unroll factor. `attributes`: name, unroll, parallel, ..."""

    index: Symbol
    start: ScalarLike
    stop: ScalarLike
    step: ScalarLike
    body: Region
    origin: Origin
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Branch:
    """`if` on a run-time condition: `then` runs where it is not zero."""

    condition: Scalar
    then: Region
    otherwise: Region
    origin: Origin


@dataclass(frozen=True, slots=True)
class SetElement:
    """`tensor[i, j] = scalar`, done by the control flow."""

    buffer: str
    indices: tuple[ScalarLike, ...]
    value: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True)
class SetScalar:
    """The control flow gives a run-time scalar a value: what a loop carries, or what depends on a branch."""

    symbol: Symbol
    value: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True)
class Rebind:
    """`target` takes over what `source` holds, which is dead afterwards: memory may be exchanged instead of copied."""

    target: RawTensor
    source: RawTensor
    origin: Origin


Region = tuple[Segment | Loop | Branch | SetElement | SetScalar | Rebind, ...]


@dataclass(frozen=True, slots=True)
class TensorKernel:
    """A kernel under one specialisation. `parameters` are raw tensors of the caller in the order of the signature;

    `workspace` are raw tensors in global memory that live across segments.
    """

    name: str
    parameters: tuple[RawTensor, ...]
    workspace: tuple[RawTensor, ...]
    body: Region
    origin: Origin
    options: Mapping[str, Any] = field(default_factory=dict)

    def segments(self) -> Iterator[Segment]:
        """Every segment, in the order of the source."""
        yield from _segments(self.body)

    def map_segments(self, change: Callable[[Segment], Segment]) -> TensorKernel:
        """The same kernel with each segment replaced by `change(segment)`."""
        return replace(self, body=_mapped(self.body, change))


def _segments(region: Region) -> Iterator[Segment]:
    for node in region:
        if isinstance(node, Segment):
            yield node
        elif isinstance(node, Loop):
            yield from _segments(node.body)
        elif isinstance(node, Branch):
            yield from _segments(node.then)
            yield from _segments(node.otherwise)


def _mapped(region: Region, change: Callable[[Segment], Segment]) -> Region:
    nodes: list[Segment | Loop | Branch | SetElement | SetScalar | Rebind] = []
    for node in region:
        if isinstance(node, Segment):
            nodes.append(change(node))
        elif isinstance(node, Loop):
            nodes.append(replace(node, body=_mapped(node.body, change)))
        elif isinstance(node, Branch):
            then, otherwise = _mapped(node.then, change), _mapped(node.otherwise, change)
            nodes.append(replace(node, then=then, otherwise=otherwise))
        else:
            nodes.append(node)
    return tuple(nodes)
