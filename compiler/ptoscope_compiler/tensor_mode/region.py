"""What tracing records: operations between loops and branches, with the values that cross their borders.

Values are logical tensors and symbols, each defined once, except that ASSEMBLE adds to a tensor in place. A loop names
what it carries from iteration to iteration, a branch what either arm leaves behind (the official front end does so with
`iter_args` and `yield`, `python/pypto/pil/ops.py` of hicann/pypto). `settle` later gives them storage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..ir.graph import LogicalTensor, Operation
from ..origin import Origin
from ..scalar import ElementRead, Expression, Scalar, ScalarLike, Symbol

Carried: TypeAlias = LogicalTensor | ScalarLike


@dataclass(slots=True, eq=False)
class Carry:
    """A value that a loop changes: `entry` within the body, `initial` before the first iteration (None: undefined),
    `following` at the end of the body, `result` after the loop."""

    name: str
    entry: LogicalTensor | Symbol
    initial: Carried | None
    following: Carried
    result: LogicalTensor | Symbol


@dataclass(slots=True, eq=False)
class Phi:
    """A value that depends on a branch; None where that arm leaves it undefined."""

    name: str
    result: LogicalTensor | Symbol
    then: Carried | None
    otherwise: Carried | None


@dataclass(slots=True, eq=False)
class OperationNode:
    operation: Operation


@dataclass(slots=True, eq=False)
class LoopNode:
    index: Symbol
    start: ScalarLike
    stop: ScalarLike
    step: ScalarLike
    body: list[Node]
    origin: Origin
    carries: list[Carry] = field(default_factory=list)
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class BranchNode:
    condition: ScalarLike
    then: list[Node]
    otherwise: list[Node]
    origin: Origin
    phis: list[Phi] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class SetElementNode:
    """`tensor[i, j] = value`, done by the control flow."""

    tensor: LogicalTensor
    indices: tuple[ScalarLike, ...]
    value: ScalarLike
    origin: Origin


Node: TypeAlias = "OperationNode | LoopNode | BranchNode | SetElementNode"


def is_partial_write(operation: Operation) -> bool:
    """Whether `operation` adds to its output in place instead of defining it."""
    return operation.opcode in ("ASSEMBLE", "ASSEMBLE_SSA", "ATOMIC_RMW")


def operations(nodes: list[Node]) -> Iterator[Operation]:
    """Every operation within `nodes`, in the order of the source."""
    for node in nodes:
        if isinstance(node, OperationNode):
            yield node.operation
        elif isinstance(node, LoopNode):
            yield from operations(node.body)
        elif isinstance(node, BranchNode):
            yield from operations(node.then)
            yield from operations(node.otherwise)


def scalars_of(operation: Operation) -> Iterator[ScalarLike]:
    """Every scalar that `operation` needs: in its attributes, and in the valid shapes of its outputs."""
    for value in operation.attributes.values():
        yield from _scalars_in(value)
    for tensor in operation.outputs:
        yield from tensor.valid_shape


def _scalars_in(value: Any) -> Iterator[ScalarLike]:
    if isinstance(value, Scalar):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _scalars_in(item)


def references(value: Carried | None) -> Iterator[int | str]:
    """What `value` refers to: ids of tensors, names of symbols, names of buffers that it reads elements of."""
    if isinstance(value, LogicalTensor):
        yield value.id
    elif isinstance(value, Symbol):
        yield value.name
    elif isinstance(value, Expression):
        for operand in value.operands:
            yield from references(operand)
    elif isinstance(value, ElementRead):
        yield value.buffer
        for index in value.indices:
            yield from references(index)
