"""`try` and `with`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .assignment import assign
from .dialect import Construct
from .dispatch import Completion, evaluate, execute, statement
from .errors import Raised
from .operation import Operation
from .scope import Frame
from .values import Abstract, Unknown, Value, is_unknown


@statement(ast.Try, getattr(ast, "TryStar", ast.Try))
def execute_try(frame: Frame, node: ast.Try) -> Completion | None:
    """Run the body, the handler that fits what it raised, and `finally`."""
    frame.refuse(Construct.TRY, node)
    completion: Completion | None = None
    swallows = _may_jump(node.finalbody)
    frame.interpreter.handlers += swallows
    try:
        completion = _guarded(frame, node)
    finally:
        frame.interpreter.handlers -= swallows
        last = execute(frame, node.finalbody)
        if last is not None:
            return last  # noqa: B012 -- as in Python, a jump in `finally` wins
    return completion


def _may_jump(statements: list[ast.stmt]) -> bool:
    """Whether a `finally` may end what was raised with a jump of its own."""
    jumps = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(node, jumps) for statement in statements for node in ast.walk(statement))


def _guarded(frame: Frame, node: ast.Try) -> Completion | None:
    if not node.handlers:
        return execute(frame, node.body) or execute(frame, node.orelse)
    interpreter = frame.interpreter
    regions = len(frame.regions)
    interpreter.handlers += 1
    try:
        completion = execute(frame, node.body)
    except Raised as raised:
        interpreter.handlers -= 1
        del frame.regions[regions:]
        handler = next((handler for handler in node.handlers if _catches(frame, handler, raised.value)), None)
        if handler is None:
            raise
        return _handle(frame, handler, raised)
    except BaseException:
        interpreter.handlers -= 1
        raise
    interpreter.handlers -= 1
    return completion or execute(frame, node.orelse)


def _catches(frame: Frame, handler: ast.ExceptHandler, error: Value) -> bool:
    if handler.type is None or is_unknown(error):
        return True
    kinds = evaluate(frame, handler.type)
    return any(_is_a(frame, handler, error, kind) for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))


def _is_a(frame: Frame, handler: ast.ExceptHandler, error: Value, kind: Value) -> bool:
    if isinstance(kind, Abstract):
        return kind.has_instance(error, Operation(frame, handler)) is not False
    if is_unknown(kind):
        return True
    if isinstance(error, Abstract):
        return isinstance(kind, type) and any(issubclass(base, kind) for base in getattr(error, "native_types", ()))
    return isinstance(kind, type) and isinstance(error, kind)


def _handle(frame: Frame, handler: ast.ExceptHandler, raised: Raised) -> Completion | None:
    if handler.name:
        frame.store(handler.name, raised.value)
    frame.interpreter.handled.append(raised.value)
    try:
        return execute(frame, handler.body)
    finally:
        frame.interpreter.handled.pop()
        if handler.name:
            frame.unbind(handler.name)


class TracedWith:
    """The `WithBlock` that a context's `trace_with` gets."""

    def __init__(self, frame: Frame, node: ast.With, index: int) -> None:
        self.frame = frame
        self.node = node
        self.completion: Completion | None = None
        self._index = index

    def variables(self) -> Mapping[str, Value]:
        return self.frame.variables

    def bind(self, value: Value) -> None:
        target = self.node.items[self._index].optional_vars
        if target is not None:
            assign(self.frame, target, value)

    def run_body(self) -> None:
        self.completion = _enter(self.frame, self.node, self._index + 1)


@statement(ast.With, ast.AsyncWith)
def _with(frame: Frame, node: ast.With) -> Completion | None:
    frame.refuse(Construct.WITH, node)
    return _enter(frame, node, 0)


def _enter(frame: Frame, node: ast.With, index: int) -> Completion | None:
    if index == len(node.items):
        return execute(frame, node.body)
    context = evaluate(frame, node.items[index].context_expr)
    block = TracedWith(frame, node, index)
    site = Operation(frame, node.items[index].context_expr)
    if not isinstance(context, Abstract) or not context.trace_with(block, site):
        block.bind(Unknown("context"))
        block.run_body()
    return block.completion
