"""What is left when nothing useless is: loops hand on only what changes, and dead operations go.

The official pipeline does the same before it makes graphs (`Canonicalize` and `AggressiveDCE`,
`framework/src/interface/ir/transforms` and `tensor/ir.cpp` of hicann/pypto): live is what reaches a parameter. A branch
stays even when its arms are empty: what stands beside it still becomes one graph per arm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..ir.graph import LogicalTensor, Operation
from .region import (
    BranchNode,
    Carried,
    LoopNode,
    Node,
    OperationNode,
    SetElementNode,
    is_partial_write,
    references,
    scalars_of,
)
from .substitution import Substitution

_LASTING = frozenset({"PRINT"})
"""Operations with an effect besides their outputs."""

Finals = Mapping[str, LogicalTensor]
"""What each written parameter holds at the end."""


def simplify(nodes: list[Node], finals: Finals) -> list[Node]:
    """`nodes` without invariant carries and dead code; `finals` stay."""
    nodes = _without_invariants(nodes)
    live = _live(nodes, finals)
    return _kept(nodes, live)


def _without_invariants(nodes: list[Node]) -> list[Node]:
    """Replace what a loop merely passes on by what it was before the loop."""
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, LoopNode):
            passed = Substitution()
            for carry in node.carries:
                if carry.following is carry.entry or carry.following == carry.entry:
                    passed.add(carry.entry, carry.initial)
            node.carries = [carry for carry in node.carries if not _is_passed(carry.entry, passed)]
            node = passed.node(node)
            assert isinstance(node, LoopNode)
            node.body = _without_invariants(node.body)
        elif isinstance(node, BranchNode):
            node.then = _without_invariants(node.then)
            node.otherwise = _without_invariants(node.otherwise)
        result.append(node)
    return result


def _is_passed(entry: Carried, passed: Substitution) -> bool:
    if isinstance(entry, LogicalTensor):
        return entry.id in passed.tensors
    return str(entry) in passed.symbols


def _live(nodes: list[Node], finals: Finals) -> set[int | str]:
    """Ids of live tensors, names of live symbols and of buffers that the control flow reads."""
    live: set[int | str] = {tensor.id for tensor in finals.values()}
    uses = list(_uses(nodes))
    changed = True
    while changed:
        changed = False
        for defined, used in reversed(uses):
            if defined is None or not live.isdisjoint(defined):
                before = len(live)
                live.update(used)
                changed = changed or len(live) > before
    return live


def _uses(nodes: list[Node]) -> Iterator[tuple[frozenset[int | str] | None, frozenset[int | str]]]:
    """What each thing defines and what it uses; None where it is always live."""
    for node in nodes:
        if isinstance(node, OperationNode):
            yield _definitions(node.operation), _operands(node.operation)
        elif isinstance(node, SetElementNode):
            scalars = (*node.indices, node.value)
            yield None, frozenset(_all((node.tensor, *scalars)))
        elif isinstance(node, LoopNode):
            yield None, frozenset(_all((node.start, node.stop, node.step)))
            for carry in node.carries:
                outside = frozenset((*references(carry.entry), *references(carry.result)))
                yield outside, frozenset(_all((carry.initial, carry.following)))
            yield from _uses(node.body)
        else:
            yield None, frozenset(references(node.condition))
            for phi in node.phis:
                yield frozenset(references(phi.result)), frozenset(_all((phi.then, phi.otherwise)))
            yield from _uses(node.then)
            yield from _uses(node.otherwise)


def _all(values: Iterable[Carried | None]) -> Iterator[int | str]:
    for value in values:
        yield from references(value)


def _definitions(operation: Operation) -> frozenset[int | str] | None:
    if operation.opcode in _LASTING or any(tensor.raw.parameter for tensor in operation.outputs):
        return None
    names = [tensor.raw.name for tensor in operation.outputs if tensor.raw.name]
    return frozenset((*(tensor.id for tensor in operation.outputs), *names))


def _operands(operation: Operation) -> frozenset[int | str]:
    used = set(_all((*operation.inputs, *scalars_of(operation))))
    if is_partial_write(operation):
        used.update(tensor.id for tensor in operation.outputs)
    return frozenset(used)


def _kept(nodes: list[Node], live: set[int | str]) -> list[Node]:
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, OperationNode):
            defined = _definitions(node.operation)
            if defined is None or not live.isdisjoint(defined):
                result.append(node)
        elif isinstance(node, LoopNode):
            node.body = _kept(node.body, live)
            node.carries = [
                carry
                for carry in node.carries
                if not live.isdisjoint((*references(carry.entry), *references(carry.result)))
            ]
            if node.body or node.carries:
                result.append(node)
        elif isinstance(node, BranchNode):
            node.then, node.otherwise = _kept(node.then, live), _kept(node.otherwise, live)
            node.phis = [phi for phi in node.phis if not live.isdisjoint(references(phi.result))]
            result.append(node)
        else:
            result.append(node)
    return result
