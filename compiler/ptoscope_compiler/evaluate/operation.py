"""The `Site` that hooks of values get."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Diagnostic
from ..origin import Origin
from .values import Arguments, Value

if TYPE_CHECKING:
    from .interpreter import Interpreter
    from .scope import Frame


class Operation:
    """A node under evaluation in a frame."""

    __slots__ = ("frame", "interpreter", "node")

    def __init__(self, frame: Frame, node: ast.AST) -> None:
        self.interpreter: Interpreter = frame.interpreter
        self.frame = frame
        self.node = node

    @property
    def origin(self) -> Origin:
        return self.frame.origin(self.node)

    def origin_of(self, node: ast.AST) -> Origin:
        return self.frame.origin(node)

    def argument_origin(self, key: int | str) -> Origin:
        return self.frame.origin(self._argument(key) or self.node)

    def report(self, diagnostic: Diagnostic) -> None:
        self.interpreter.report(diagnostic)

    def call(self, function: Value, arguments: Arguments) -> Value:
        return self.interpreter.call(function, arguments, self)

    def fail(self, error: BaseException) -> Value:
        """What Python would raise here: thrown where the program may catch it, else reported; the value is Unknown."""
        return self.interpreter.fail(error, self.frame, self.node)

    def _argument(self, key: int | str) -> ast.AST | None:
        call = self.node
        if not isinstance(call, ast.Call):
            return None
        if isinstance(key, str):
            return next((keyword.value for keyword in call.keywords if keyword.arg == key), None)
        before = call.args[: key + 1]
        if len(before) <= key or any(isinstance(argument, ast.Starred) for argument in before):
            return None
        return before[key]
