"""The partial evaluator: an interpreter of syntax trees over values that may be abstract or unknown."""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from ..diagnostics.diagnostic import Diagnostic, Report, Severity
from ..diagnostics.rules import pt660_unsupported_construct, pt901_step_budget
from ..origin import Origin, Span
from . import (
    assignment,
    branches,
    comprehensions,
    container_methods,
    control,
    definitions,
    expressions,
    loops,
    patterns,
    statements,
)
from .calls import call_value
from .dialect import Construct, Dialect
from .errors import BudgetExceeded, Raised, as_python, message_of, rule_of
from .functions import UserFunction
from .operation import Operation
from .scope import Frame, LoopState, Module
from .site import Environment, Site
from .uncertainty import Journal
from .values import Arguments, Unknown, Value

__all__ = ["DEFAULT_BUDGET", "Interpreter", "UserFunction"]

DEFAULT_BUDGET = 500_000
"""Steps of one evaluation: some seconds."""

RECURSION_LIMIT = 5_000
"""Python frames that an evaluation may take; a call of the evaluated program takes about ten."""

_REGISTERED = (
    assignment,
    branches,
    comprehensions,
    container_methods,
    control,
    definitions,
    expressions,
    loops,
    patterns,
    statements,
)

_T = TypeVar("_T")


class Interpreter:
    """Evaluates functions and modules in an environment.

    `budget` bounds the steps (statements, calls, items of loops) of everything that this interpreter evaluates.
    `report` receives each finding once. Where the evaluation had to guess (both arms of a condition that is Unknown),
    errors become warnings, and the place is added to `guesses`. `cuts_loops` is for host code, of which only the calls
    of kernels matter: a loop that takes a quarter of what is left of the budget is cut, and what it changes is Unknown.
    `on_assign`, if set, sees each name that gets a value, the value and the place.
    """

    def __init__(
        self,
        environment: Environment,
        budget: int = DEFAULT_BUDGET,
        report: Report | None = None,
        cuts_loops: bool = False,
    ) -> None:
        self.environment = environment
        self.budget = budget
        self.remaining = budget
        self.cuts_loops = cuts_loops
        self.frames: list[Frame] = []
        self.loops: list[tuple[Frame, LoopState]] = []
        self.handlers = 0
        self.handled: list[Value] = []
        self.uncertain = 0
        self.guesses: list[Origin] = []
        self.journal: Journal | None = None
        self.vague: dict[int, Any] = {}
        self.on_assign: Callable[[str, Value, Origin], None] | None = None
        self._report = report
        self._reported: set[tuple[str, Origin, str]] = set()

    def run(self, function: Value, arguments: Arguments, dialect: Dialect | None = None) -> Value:
        """Call `function` as an entry point, its frame under `dialect`; errors that leave it are reported.

        Unknown where the evaluation could not be finished.
        """
        return self.guarded(lambda: self._enter(function, arguments, dialect))

    def guarded(self, action: Callable[[], _T]) -> _T | Value:
        """`action()`, with the budget and uncaught exceptions of the evaluated program turned into findings."""
        depth = len(self.frames), len(self.loops), self.handlers, self.uncertain, self.journal
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
        try:
            return action()
        except RecursionError:
            self.report(pt901_step_budget.RULE.at(self._deepest(), budget=self.budget))
        except Raised as raised:
            self.report(raised.diagnostic())
        except BudgetExceeded as exceeded:
            self.report(pt901_step_budget.RULE.at(exceeded.origin, budget=self.budget))
        finally:
            sys.setrecursionlimit(limit)
            del self.frames[depth[0] :], self.loops[depth[1] :]
            self.handlers, self.uncertain, self.journal = depth[2:]
        return Unknown("not finished")

    def call(self, function: Value, arguments: Arguments, site: Site) -> Value:
        """Call any callable value; a user's function is inlined."""
        return call_value(function, arguments, site)

    def step(self, frame: Frame, node: ast.AST, count: int = 1) -> None:
        """Count steps; BudgetExceeded beyond the budget."""
        self.remaining -= count
        if self.remaining < 0:
            raise BudgetExceeded(self._endless(frame, node))

    def assigned(self, frame: Frame, target: ast.Name, value: Value) -> None:
        """Tell `on_assign` of a name that got a value."""
        if self.on_assign is not None:
            self.on_assign(target.id, value, frame.origin(target))

    def report(self, diagnostic: Diagnostic) -> None:
        """Record a finding, once for each place and text."""
        if self._report is None:
            return
        if self.uncertain and diagnostic.severity is Severity.ERROR:
            diagnostic = dataclasses.replace(diagnostic, severity=Severity.WARNING)
        key = (diagnostic.code, diagnostic.origin, diagnostic.message())
        if key not in self._reported:
            self._reported.add(key)
            self._report(diagnostic)

    def report_unsupported(self, construct: Construct, frame: Frame, node: ast.AST) -> None:
        """Record that the frame's dialect does not have `construct`."""
        origin = frame.header(node)
        rule = pt660_unsupported_construct.RULE
        self.report(rule.at(origin, construct=construct.value, dialect=frame.dialect.name))

    def fail(self, error: BaseException, frame: Frame, node: ast.AST) -> Value:
        """What Python would raise at `node`: thrown where the program may catch it, else reported and Unknown."""
        origin = frame.origin(node)
        if self.handlers:
            raise Raised(as_python(error), origin) from None
        self.report(rule_of(error).at(origin, message=message_of(error) or type(error).__name__))
        return Unknown("error")

    def mutating(self, container: Any) -> None:
        """Must be called before `container` changes, so that an uncertain change can be taken back."""
        if self.journal is not None:
            self.journal.note(container)

    def forget(self, container: Any) -> None:
        """The contents of `container` are not known any more."""
        self.vague[id(container)] = container

    def is_vague(self, container: Any) -> bool:
        """Whether the contents of `container` are not known any more."""
        return bool(self.vague) and id(container) in self.vague

    def frame_of(self, module: Module) -> Frame:
        """A frame at the top level of `module`."""
        return Frame(self, module, module.scope)

    def _enter(self, function: Value, arguments: Arguments, dialect: Dialect | None) -> Value:
        if isinstance(function, UserFunction):
            return function.enter(self, arguments, dialect)
        node = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
        return self.call(function, arguments, Operation(self.frame_of(Module("", "")), node))

    def _deepest(self) -> Origin:
        frame = self.frames[-1]
        return frame.caller or Origin(Span(frame.module.file, 1, 0, 1, 0), frame.function_name)

    def _endless(self, frame: Frame, node: ast.AST) -> Origin:
        if self.loops:
            owner, loop = max(self.loops, key=lambda item: item[1].iterations)
            return owner.header(loop.node)
        return frame.origin(node)
