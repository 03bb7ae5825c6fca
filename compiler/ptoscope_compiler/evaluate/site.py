"""What an operation of the evaluated program knows of its place."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..diagnostics.diagnostic import Diagnostic
from ..origin import Origin
from .values import Arguments, Value

if TYPE_CHECKING:
    from .interpreter import Interpreter


class Site(Protocol):
    """The operation being evaluated: its syntax, its place, and the interpreter that evaluates it."""

    interpreter: Interpreter
    node: ast.AST

    @property
    def origin(self) -> Origin:
        """Range of `node`, with the chain of inlined calls."""

    def origin_of(self, node: ast.AST) -> Origin:
        """Range of another node of the same function."""

    def argument_origin(self, key: int | str) -> Origin:
        """Range of a positional (index) or keyword (name) argument of this call; of the call where there is none."""

    def report(self, diagnostic: Diagnostic) -> None:
        """Record a finding; the evaluation goes on."""

    def call(self, function: Value, arguments: Arguments) -> Value:
        """Call any callable value from here (a user's function is inlined)."""


class ForLoop(Protocol):
    """A `for` statement handed to the iterable's `trace_loop`."""

    node: ast.For
    stored_names: tuple[str, ...]
    """Names that the body may rebind or mutate, in order of first appearance."""

    def get(self, name: str) -> Value:
        """Current value of a variable of the enclosing frame; a private marker `UNBOUND` where it has none."""

    def set(self, name: str, value: Value) -> None:
        """Rebind a variable of the enclosing frame."""

    def variables(self) -> Mapping[str, Value]:
        """The variables of the enclosing frame as they are now."""

    def run_body(self, target: Value) -> None:
        """Bind the loop target to `target` and evaluate the body once."""

    @property
    def is_syntactic(self) -> bool:
        """Whether the iterable is written `pypto.loop(...)` or `pypto.loop_unroll(...)` in place."""


class Branch(Protocol):
    """An `if` statement on a condition known only at run time, handed to the condition's `trace_branch`."""

    node: ast.If | ast.IfExp
    stored_names: tuple[str, ...]

    def get(self, name: str) -> Value: ...

    def set(self, name: str, value: Value) -> None: ...

    def variables(self) -> Mapping[str, Value]:
        """The variables of the enclosing frame as they are now."""

    def run_then(self) -> Value:
        """Evaluate the first arm; its value, where the branch is an `ast.IfExp`."""

    def run_otherwise(self) -> Value:
        """Evaluate the other arm; its value, where the branch is an `ast.IfExp`."""

    def set_result(self, value: Value) -> None:
        """The value of the whole `ast.IfExp`."""


class WhileLoop(Protocol):
    """A `while` on a condition known only at run time, handed to the condition's `trace_while`."""

    node: ast.While
    stored_names: tuple[str, ...]

    def get(self, name: str) -> Value: ...

    def set(self, name: str, value: Value) -> None: ...

    def variables(self) -> Mapping[str, Value]: ...

    def condition(self) -> Value:
        """Evaluate the condition again, with the variables as they are now."""

    def run_body(self) -> None: ...


class WithBlock(Protocol):
    """The body of a `with`, handed to the context's `trace_with`."""

    node: ast.With

    def variables(self) -> Mapping[str, Value]: ...

    def bind(self, value: Value) -> None:
        """Bind the name after `as`, where there is one."""

    def run_body(self) -> None: ...


UNBOUND: Any = type("Unbound", (), {"__repr__": lambda self: "UNBOUND"})()


class Environment(Protocol):
    """Where names come from: `StaticEnvironment` (source of the workspace) or `LiveEnvironment` (a running process)."""

    def import_module(self, name: str, site: Site) -> Value:
        """The module `name` as a value; Unknown where it is not known."""

    def find_module(self, name: str, site: Site) -> Value | None:
        """The same, None where it is not known."""

    def wrap(self, value: Any) -> Value:
        """A foreign object (a live Python object) as a value of the evaluator."""


__all__ = ["UNBOUND", "Branch", "Environment", "ForLoop", "Site", "WhileLoop", "WithBlock"]
