"""The Execute Graph: calls of leaf functions with the dependencies between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..hardware import CoreKind
from ..origin import Origin
from ..scalar import ScalarLike
from .graph import Graph, LogicalTensor, RawTensor


@dataclass(frozen=True, slots=True)
class LeafFunction:
    """A block graph that one core runs. Windows of global memory are taken relative to the call's operands.

    `graph.inputs` and `graph.outputs` list the operands in global memory: operand *k* of a call stands for the *k*-th
    of `(*graph.inputs, *graph.outputs)`.
    """

    name: str
    core: CoreKind
    graph: Graph


@dataclass(frozen=True, slots=True)
class LeafCall:
    """One call: for each operand the raw tensor it is a window of, and the window's offset, shape and valid shape.

    `grid` and `strides` stand for many calls that differ only in their offsets: `grid[a]` calls along grid axis *a*,
    each `strides[a][operand][axis]` elements further. `depends` lists indices of earlier calls in the graph that must
    be complete.
    """

    leaf: str
    operands: tuple[LogicalTensor, ...]
    raws: tuple[RawTensor, ...]
    origin: Origin
    depends: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    strides: tuple[tuple[tuple[int, ...], ...], ...] = ()
    scalars: Mapping[str, ScalarLike] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExecuteGraph:
    """What the scheduler runs for one segment."""

    name: str
    leaves: Mapping[str, LeafFunction]
    calls: tuple[LeafCall, ...]
