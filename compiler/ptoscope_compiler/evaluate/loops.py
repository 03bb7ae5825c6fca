"""`for` and `while`: unrolled, handed to the mode, or, where nothing is known, evaluated once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..diagnostics.rules import pt661_runtime_condition
from .assignment import assign
from .dialect import Construct
from .dispatch import BREAK, CONTINUE, Completion, evaluate, execute, statement
from .iteration import iterate
from .names import stored_names
from .operation import Operation
from .operators import is_symbolic, truth
from .scope import Frame, LoopState
from .site import UNBOUND
from .uncertainty import merge_variables, run_alternatives
from .values import Abstract, Unknown, Value

_SYNTACTIC_LOOPS = ("loop", "loop_unroll")


class _TracedLoop:
    """What `for` and `while` loops that a mode takes over have in common."""

    def __init__(self, frame: Frame, node: ast.For | ast.While) -> None:
        self.frame = frame
        self.stored_names = stored_names(node)
        self._body = node.body
        self._node = node

    def get(self, name: str) -> Value:
        return self.frame.scope.variables.get(name, UNBOUND)

    def set(self, name: str, value: Value) -> None:
        self.frame.store(name, value)

    def variables(self) -> Mapping[str, Value]:
        return self.frame.variables

    def _run(self, target: ast.expr | None, value: Value) -> None:
        self.frame.regions.append(LoopState(self._node, traced=True))
        try:
            if target is not None:
                assign(self.frame, target, value)
            execute(self.frame, self._body)
        finally:
            self.frame.regions.pop()


class TracedFor(_TracedLoop):
    """The `ForLoop` that an iterable's `trace_loop` gets."""

    def __init__(self, frame: Frame, node: ast.For) -> None:
        super().__init__(frame, node)
        self.node = node

    def run_body(self, target: Value) -> None:
        self._run(self.node.target, target)

    @property
    def is_syntactic(self) -> bool:
        call = self.node.iter
        return (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == "pypto"
            and call.func.attr in _SYNTACTIC_LOOPS
        )


class TracedWhile(_TracedLoop):
    """The `WhileLoop` that a condition's `trace_while` gets."""

    def __init__(self, frame: Frame, node: ast.While) -> None:
        super().__init__(frame, node)
        self.node = node

    def condition(self) -> Value:
        return evaluate(self.frame, self.node.test)

    def run_body(self) -> None:
        self._run(None, None)


@statement(ast.For, ast.AsyncFor)
def _for(frame: Frame, node: ast.For) -> Completion | None:
    if node.orelse:
        frame.refuse(Construct.FOR_ELSE, node)
    iterable = evaluate(frame, node.iter)
    if isinstance(iterable, Abstract) and iterable.trace_loop(TracedFor(frame, node), Operation(frame, node)):
        return None
    frame.refuse(Construct.UNROLLED_FOR, node)
    items = iterate(iterable, Operation(frame, node.iter))
    if items is None:
        return _run_maybe(frame, node, node.target)
    return _unroll(frame, node, items)


@statement(ast.While)
def _while(frame: Frame, node: ast.While) -> Completion | None:
    frame.refuse(Construct.WHILE, node)
    if node.orelse:
        frame.refuse(Construct.WHILE_ELSE, node)
    if frame.dialect.trace_while(TracedWhile(frame, node), Operation(frame, node)):
        return None
    site = Operation(frame, node.test)
    with _entered(frame, node) as state:
        while not state.may_end:
            if _is_cut(frame, state):
                return _run_maybe(frame, node, None)
            condition = evaluate(frame, node.test)
            known = truth(condition, site)
            if known is None:
                return _undecided_while(frame, node, condition)
            if not known:
                break
            completion = _iteration(frame, node, state)
            if completion is BREAK:
                return None
            if completion is not None:
                return completion
    return _finish(frame, node, state)


def _undecided_while(frame: Frame, node: ast.While, condition: Value) -> Completion | None:
    if is_symbolic(condition):
        if condition.trace_while(TracedWhile(frame, node), Operation(frame, node)):
            return None
        origin = frame.origin(node.test)
        frame.interpreter.report(pt661_runtime_condition.RULE.at(origin))
    return _run_maybe(frame, node, None)


def _unroll(frame: Frame, node: ast.For, items: Iterator[Value]) -> Completion | None:
    with _entered(frame, node) as state:
        while not state.may_end:
            if _is_cut(frame, state):
                return _run_maybe(frame, node, node.target)
            try:
                item = next(items, UNBOUND)
            except RuntimeError as error:
                frame.interpreter.fail(error, frame, node.iter)
                break
            if item is UNBOUND:
                break
            assign(frame, node.target, item)
            completion = _iteration(frame, node, state)
            if completion is BREAK:
                _leave(frame, state)
                return None
            if completion is not None:
                return completion
    return _finish(frame, node, state)


def _is_cut(frame: Frame, state: LoopState) -> bool:
    return frame.interpreter.cuts_loops and frame.interpreter.remaining < state.floor


def _iteration(frame: Frame, node: ast.For | ast.While, state: LoopState) -> Completion | None:
    """Run the body once; None where the loop goes on."""
    state.iterations += 1
    frame.interpreter.step(frame, node)
    completion = execute(frame, node.body)
    for variables in state.continues:
        _merge_into(frame, variables)
    state.continues.clear()
    return None if completion is CONTINUE else completion


def _finish(frame: Frame, node: ast.For | ast.While, state: LoopState) -> Completion | None:
    """What follows a loop that no certain `break` has ended."""
    if state.may_end:
        for name in stored_names(node):
            if name in frame.variables:
                frame.variables[name] = Unknown(f"'{name}' after a loop")
        return None
    return execute(frame, node.orelse)


def _leave(frame: Frame, state: LoopState) -> None:
    for variables in state.breaks:
        _merge_into(frame, variables)


def _merge_into(frame: Frame, variables: dict[str, Value]) -> None:
    merged = merge_variables(dict(frame.variables), variables)
    frame.interpreter.mutating(frame.variables)
    frame.variables.update(merged)


def _run_maybe(frame: Frame, node: ast.For | ast.While, target: ast.expr | None) -> Completion | None:
    """Evaluate the body as if it ran once or not at all; the variables that it binds are not known afterwards."""

    def once() -> Completion | None:
        with _entered(frame, node):
            if target is not None:
                assign(frame, target, Unknown("item"))
            completion = execute(frame, node.body)
        return None if completion in (BREAK, CONTINUE) else completion

    completion = run_alternatives(frame, node, (once, lambda: None))
    return completion or execute(frame, node.orelse)


@contextmanager
def _entered(frame: Frame, node: ast.For | ast.While) -> Iterator[LoopState]:
    remaining = frame.interpreter.remaining
    state = LoopState(node, floor=remaining - remaining // 4)
    frame.regions.append(state)
    frame.interpreter.loops.append((frame, state))
    try:
        yield state
    finally:
        frame.regions.pop()
        frame.interpreter.loops.pop()
