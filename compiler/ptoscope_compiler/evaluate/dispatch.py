"""From a syntax node to the function that evaluates it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .scope import Frame
from .values import Unknown, Value


class Completion:
    """How a statement ended other than by running to its end; `value` is that of a `return`."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: Value = None) -> None:
        self.kind = kind
        self.value = value


BREAK = Completion("break")
CONTINUE = Completion("continue")
STOPPED = Completion("stopped")
"""The jump was recorded by the mode: the rest of the run-time region is not reached."""

Evaluator = Callable[[Frame, Any], Value]
Executor = Callable[[Frame, Any], "Completion | None"]
_evaluators: dict[type[ast.AST], Evaluator] = {}
_executors: dict[type[ast.AST], Executor] = {}
_E = TypeVar("_E", bound=Evaluator)
_X = TypeVar("_X", bound=Executor)


def expression(*kinds: type[ast.AST]) -> Callable[[_E], _E]:
    """Register the evaluator of expression nodes."""

    def register(function: _E) -> _E:
        _evaluators.update(dict.fromkeys(kinds, function))
        return function

    return register


def statement(*kinds: type[ast.AST]) -> Callable[[_X], _X]:
    """Register the executor of statement nodes."""

    def register(function: _X) -> _X:
        _executors.update(dict.fromkeys(kinds, function))
        return function

    return register


def evaluate(frame: Frame, node: ast.AST) -> Value:
    """The value of an expression."""
    evaluator = _evaluators.get(type(node))
    return Unknown("syntax") if evaluator is None else evaluator(frame, node)


def execute(frame: Frame, statements: Sequence[ast.stmt]) -> Completion | None:
    """Run statements in order until one jumps; None where all ran to their end."""
    interpreter = frame.interpreter
    for node in statements:
        interpreter.step(frame, node)
        executor = _executors.get(type(node))
        if executor is not None:
            completion = executor(frame, node)
            if completion is not None:
                return completion
    return None
