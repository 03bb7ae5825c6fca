"""Sinking what stands before and after a run-time branch into both its arms, so that each path is one graph.

The official front end does so before it makes graphs (`merge_stmts_pass.cpp` of hicann/pypto): loops are barriers, and
an arm that the conditions around it exclude goes. A tensor that both arms define keeps one identity: whichever arm runs
writes the same storage.

Every undecided condition doubles the paths behind it. A stretch whose paths would hold more than `NODES_OF_A_STRETCH`
nodes stays as it is written: its branches then are graphs of their own, with the same meaning.
"""

from __future__ import annotations

from functools import lru_cache

from ..scalar import Expression, ScalarLike, known, linear, sub
from .region import BranchNode, LoopNode, Node, Phi
from .substitution import Substitution

Facts = tuple[tuple[ScalarLike, bool], ...]
"""Conditions around a node, each with its truth there."""

NODES_OF_A_STRETCH = 4_000

_OPPOSITES = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


class _TooManyPaths(Exception):
    """The paths of a stretch hold too many nodes to write each of them out."""


class _Allowance:
    """How many more nodes the paths of a stretch may hold."""

    def __init__(self) -> None:
        self.left = NODES_OF_A_STRETCH

    def spend(self, nodes: int) -> None:
        self.left -= nodes
        if self.left < 0:
            raise _TooManyPaths


def merge(nodes: list[Node], facts: Facts = (), allowance: _Allowance | None = None) -> list[Node]:
    """`nodes` with straight-line code sunk into the branches beside it."""
    merged: list[Node] = []
    stretch: list[Node] = []
    for node in nodes:
        if isinstance(node, LoopNode):
            merged.extend(_merge_whole(stretch, facts, allowance))
            stretch = []
            node.body = merge(node.body, (*facts, *_loop_facts(node)))
            merged.append(node)
        else:
            stretch.append(node)
    merged.extend(_merge_whole(stretch, facts, allowance))
    return merged


def _merge_whole(nodes: list[Node], facts: Facts, allowance: _Allowance | None) -> list[Node]:
    """The stretch merged within what the one around it allows; as it is where it is the outermost and too much."""
    if allowance is not None:
        return _merge_stretch(nodes, facts, allowance)
    try:
        return _merge_stretch(nodes, facts, _Allowance())
    except _TooManyPaths:
        return nodes


def _loop_facts(loop: LoopNode) -> Facts:
    if not isinstance(loop.step, int) or loop.step <= 0:
        return ()
    return (
        (Expression("ge", (loop.index, loop.start)), True),
        (Expression("lt", (loop.index, loop.stop)), True),
    )


def _merge_stretch(nodes: list[Node], facts: Facts, allowance: _Allowance) -> list[Node]:
    for at, node in enumerate(nodes):
        if not isinstance(node, BranchNode):
            continue
        truth = decide(node.condition, facts)
        before, after = nodes[:at], nodes[at + 1 :]
        if truth is not None:
            chosen = node.then if truth else node.otherwise
            taken = Substitution()
            for phi in node.phis:
                taken.add(phi.result, phi.then if truth else phi.otherwise)
            return _merge_stretch([*before, *chosen, *taken.nodes(after)], facts, allowance)
        absorbed = _absorbed(node, before, after, facts, allowance)
        return [absorbed] if absorbed.then or absorbed.otherwise or absorbed.phis else []
    return nodes


def _absorbed(
    node: BranchNode, before: list[Node], after: list[Node], facts: Facts, allowance: _Allowance
) -> BranchNode:
    arms: list[list[Node]] = []
    for truth, arm in ((True, node.then), (False, node.otherwise)):
        chosen = Substitution()
        for phi in node.phis:
            chosen.add(phi.result, phi.then if truth else phi.otherwise)
        body = [*before, *arm, *chosen.nodes(after)]
        allowance.spend(len(body))
        arms.append(merge([_copied(item) for item in body], (*facts, (node.condition, truth)), allowance))
    return BranchNode(node.condition, arms[0], arms[1], node.origin, list(node.phis))


def _copied(node: Node) -> Node:
    """A node of its own for each arm, since merging rewrites nodes in place."""
    if isinstance(node, BranchNode):
        phis = [Phi(phi.name, phi.result, phi.then, phi.otherwise) for phi in node.phis]
        then, otherwise = [_copied(item) for item in node.then], [_copied(item) for item in node.otherwise]
        return BranchNode(node.condition, then, otherwise, node.origin, phis)
    return node


def decide(condition: ScalarLike, facts: Facts) -> bool | None:
    """Whether `condition` holds where `facts` do; None where they do not say."""
    if known(condition):
        return bool(condition)
    for fact, truth in facts:
        if fact == condition:
            return truth
        implied = _implied(fact, truth, condition)
        if implied is not None:
            return implied
    return None


def _comparison(condition: ScalarLike) -> tuple[str, ScalarLike] | None:
    if isinstance(condition, Expression) and condition.operator in _OPPOSITES:
        return condition.operator, sub(*condition.operands)
    return None


@lru_cache(maxsize=1 << 14)
def _implied(fact: ScalarLike, truth: bool, condition: ScalarLike) -> bool | None:
    """What one comparison with a constant says of another one of the same terms."""
    given, asked = _comparison(fact), _comparison(condition)
    if given is None or asked is None:
        return None
    operator = given[0] if truth else _OPPOSITES[given[0]]
    left, right = linear(given[1]), linear(asked[1])
    if left is None or right is None or not left[0] or left[0] != right[0]:
        return None
    return _over_whole_numbers(operator, -left[1], asked[0], -right[1])


def _over_whole_numbers(operator: str, bound: int, asked: str, limit: int) -> bool | None:
    """With `x <operator> bound`, is `x <asked> limit`?"""
    low: float = float("-inf")
    high: float = float("inf")
    if operator in ("eq", "ge", "gt"):
        low = bound + (operator == "gt")
    if operator in ("eq", "le", "lt"):
        high = bound - (operator == "lt")
    answers = {
        "eq": (low == high == limit, limit < low or limit > high),
        "ne": (limit < low or limit > high, low == high == limit),
        "lt": (high < limit, low >= limit),
        "le": (high <= limit, low > limit),
        "gt": (low > limit, high <= limit),
        "ge": (low >= limit, high < limit),
    }
    holds, fails = answers[asked]
    return True if holds else False if fails else None
