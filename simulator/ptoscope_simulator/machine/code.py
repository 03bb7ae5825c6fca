"""Structured control flow laid out as one list of steps with jumps, for core programs and for the scheduler alike.

A place in a program is then one number, so that a core can stop, go on and go back at any step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ptoscope_compiler.pto.program import (
    Body,
    Break,
    Choose,
    Continue,
    Control,
    For,
    If,
    Repeat,
    Return,
    While,
)

from .scalars import Evaluator, Variables, evaluator, evaluator_of_all


@dataclass(slots=True)
class Leaf:
    """A statement without control flow."""

    statement: Any


@dataclass(slots=True)
class Jump:
    """Go on at `target`. `weight` is the number of steps of the loop that a jump backwards closes, else 0."""

    statement: Any
    target: int = -1
    weight: int = 0


@dataclass(slots=True)
class JumpUnless:
    """Go on at `target` where the condition is zero."""

    statement: Any
    condition: Evaluator
    target: int = -1


@dataclass(slots=True)
class LoopStart:
    """Set up a counted loop; go on at `exit` where it has no turn."""

    statement: Any
    bounds: Evaluator
    exit: int = -1

    def enter(self, variables: Variables) -> bool:
        """Bind the loop variable; False where the loop has no turn."""
        start, stop, step = self.bounds(variables)
        if step == 0:
            raise ZeroDivisionError("the step of the loop is zero")
        if not (start < stop if step > 0 else start > stop):
            return False
        variables[self.key] = (start, stop, step)
        variables[self.statement.name] = start
        return True

    @property
    def key(self) -> tuple[str, int]:
        """Where the counter lives among the variables."""
        return ("loop", id(self.statement))


@dataclass(slots=True)
class LoopNext:
    """The end of a counted loop's body: another turn from `target`, or go on."""

    statement: Any
    target: int
    weight: int
    key: tuple[str, int]

    def advance(self, variables: Variables) -> bool:
        """Bind the loop variable to its next value; False where the loop is over."""
        value, stop, step = variables[self.key]
        value += step
        if not (value < stop if step > 0 else value > stop):
            return False
        variables[self.key] = (value, stop, step)
        variables[self.statement.name] = value
        return True


Step = Leaf | Jump | JumpUnless | LoopStart | LoopNext


class _Layout:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._breaks: list[list[Jump]] = []
        self._continues: list[list[Jump]] = []
        self._returns: list[Jump] = []

    def finish(self) -> list[Step]:
        for jump in self._returns:
            jump.target = len(self.steps)
        return self.steps

    def body(self, statements: Body | Control) -> None:
        for statement in statements:
            if isinstance(statement, (For, Repeat)):
                self._counted(statement)
            elif isinstance(statement, While):
                self._endless(statement)
            elif isinstance(statement, (If, Choose)):
                self._branch(statement)
            elif isinstance(statement, (Break, Continue, Return)):
                self._leave(statement)
            else:
                self.steps.append(Leaf(statement))

    def _loop_body(self, statements: Body | Control, turn: Step) -> None:
        """The body and its closing step; `continue` goes to that step, `break` past it."""
        self._breaks.append([])
        self._continues.append([])
        self.body(statements)
        for jump in self._continues.pop():
            jump.target = len(self.steps)
        self.steps.append(turn)
        for jump in self._breaks.pop():
            jump.target = len(self.steps)

    def _counted(self, loop: For | Repeat) -> None:
        start = LoopStart(loop, evaluator_of_all((loop.start, loop.stop, loop.step)))
        self.steps.append(start)
        first = len(self.steps)
        turn = LoopNext(loop, first, 0, start.key)
        self._loop_body(loop.body, turn)
        turn.weight = len(self.steps) - first
        start.exit = len(self.steps)

    def _endless(self, loop: While) -> None:
        first = len(self.steps)
        turn = Jump(loop, first)
        self._loop_body(loop.body, turn)
        turn.weight = len(self.steps) - first

    def _branch(self, branch: If | Choose) -> None:
        skip = JumpUnless(branch, evaluator(branch.condition))
        self.steps.append(skip)
        self.body(branch.then)
        if branch.otherwise:
            leave = Jump(branch)
            self.steps.append(leave)
            skip.target = len(self.steps)
            self.body(branch.otherwise)
            leave.target = len(self.steps)
        else:
            skip.target = len(self.steps)

    def _leave(self, statement: Break | Continue | Return) -> None:
        jump = Jump(statement)
        self.steps.append(jump)
        if isinstance(statement, Return):
            self._returns.append(jump)
        else:
            (self._breaks if isinstance(statement, Break) else self._continues)[-1].append(jump)


def lay_out(body: Body | Control) -> list[Step]:
    """The steps of a body; a place equal to their number is its end."""
    layout = _Layout()
    layout.body(body)
    return layout.finish()


def statements(body: Body | Control) -> Iterator[Any]:
    """Every statement, with those nested in control flow."""
    for statement in body:
        yield statement
        if isinstance(statement, (For, While, Repeat)):
            yield from statements(statement.body)
        elif isinstance(statement, (If, Choose)):
            yield from statements(statement.then)
            yield from statements(statement.otherwise)


def next_place(step: Step, place: int, variables: Variables) -> int:
    """Where control goes after `step` at `place`, which for a leaf is the next step."""
    if isinstance(step, Jump):
        return step.target
    if isinstance(step, JumpUnless):
        return place + 1 if step.condition(variables) else step.target
    if isinstance(step, LoopStart):
        return place + 1 if step.enter(variables) else step.exit
    if isinstance(step, LoopNext):
        return step.target if step.advance(variables) else place + 1
    return place + 1
