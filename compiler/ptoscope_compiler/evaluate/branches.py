"""Conditions: `if`, conditional expressions, `and` and `or`, chained comparisons."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..diagnostics.rules import pt661_runtime_condition
from .dispatch import Completion, evaluate, execute, expression, statement
from .names import stored_names
from .operation import Operation
from .operators import SYMBOLS, compare, is_symbolic, truth
from .scope import TRACED_BRANCH, Frame
from .site import UNBOUND
from .uncertainty import choose, run_alternatives
from .values import Abstract, Unknown, Unsupported, Value


class TracedBranch:
    """The `Branch` that a condition's `trace_branch` gets."""

    def __init__(self, frame: Frame, node: ast.If | ast.IfExp) -> None:
        self.frame = frame
        self.node = node
        self.stored_names = stored_names(node)
        self.result: Value = Unknown("conditional expression")

    def get(self, name: str) -> Value:
        return self.frame.scope.variables.get(name, UNBOUND)

    def set(self, name: str, value: Value) -> None:
        self.frame.store(name, value)

    def variables(self) -> Mapping[str, Value]:
        return self.frame.variables

    def run_then(self) -> Value:
        return self._run(self.node.body)

    def run_otherwise(self) -> Value:
        return self._run(self.node.orelse)

    def set_result(self, value: Value) -> None:
        self.result = value

    def _run(self, arm: list[ast.stmt] | ast.expr) -> Value:
        self.frame.regions.append(TRACED_BRANCH)
        try:
            if isinstance(arm, list):
                execute(self.frame, arm)
                return None
            return evaluate(self.frame, arm)
        finally:
            self.frame.regions.pop()


@statement(ast.If)
def _if(frame: Frame, node: ast.If) -> Completion | None:
    condition = evaluate(frame, node.test)
    site = Operation(frame, node.test)
    known = truth(condition, site)
    if known is not None:
        return execute(frame, node.body if known else node.orelse)
    if is_symbolic(condition):
        if condition.trace_branch(TracedBranch(frame, node), Operation(frame, node)):
            return None
        site.report(pt661_runtime_condition.RULE.at(site.origin))
    return run_alternatives(frame, node.test, (lambda: execute(frame, node.body), lambda: execute(frame, node.orelse)))


@expression(ast.IfExp)
def _if_expression(frame: Frame, node: ast.IfExp) -> Value:
    condition = evaluate(frame, node.test)
    site = Operation(frame, node.test)
    known = truth(condition, site)
    if known is not None:
        return evaluate(frame, node.body if known else node.orelse)
    if is_symbolic(condition):
        branch = TracedBranch(frame, node)
        if condition.trace_branch(branch, Operation(frame, node)):
            return branch.result
        site.report(pt661_runtime_condition.RULE.at(site.origin))
    return choose(frame, node.test, (lambda: evaluate(frame, node.body), lambda: evaluate(frame, node.orelse)))


@expression(ast.BoolOp)
def _boolean(frame: Frame, node: ast.BoolOp) -> Value:
    return _connect(frame, node, evaluate(frame, node.values[0]), node.values[1:])


def _connect(frame: Frame, node: ast.BoolOp, value: Value, rest: list[ast.expr]) -> Value:
    """`value and rest[0] and ...`, or the same with `or`."""
    if not rest:
        return value
    symbol = "and" if isinstance(node.op, ast.And) else "or"
    site = Operation(frame, node)
    known = truth(value, site)
    if known is (symbol == "or"):
        return value
    if known is None and not is_symbolic(value):
        return choose(frame, node, (lambda: value, lambda: _connect(frame, node, evaluate(frame, rest[0]), rest[1:])))
    right = evaluate(frame, rest[0])
    if known is None:
        right = join(symbol, value, right, site)
    return _connect(frame, node, right, rest[1:])


@expression(ast.Compare)
def _compare(frame: Frame, node: ast.Compare) -> Value:
    site = Operation(frame, node)
    left = evaluate(frame, node.left)
    result: Value = True
    for index, (comparator, operand) in enumerate(zip(node.ops, node.comparators, strict=False)):
        right = evaluate(frame, operand)
        answer = compare(SYMBOLS[type(comparator)], left, right, site)
        if index == 0 or truth(result, site) is True:
            result = answer
        elif is_symbolic(result):
            result = join("and", result, answer, site)
        else:
            result = Unknown("comparison")
        if truth(result, site) is False:
            return result
        left = right
    return result


def join(symbol: str, left: Abstract, right: Value, site: Operation) -> Value:
    """`left and right` or `left or right`, where only run time knows `left`."""
    try:
        return left.binary(symbol, right, False, site)
    except Unsupported:
        site.report(pt661_runtime_condition.RULE.at(site.origin))
        return Unknown("condition")
