"""Conditions that cannot be known: both arms are evaluated, and what they leave behind is merged."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .dispatch import BREAK, CONTINUE, Completion
from .errors import Raised
from .scope import Frame, LoopState
from .site import UNBOUND
from .values import Unknown, Value, is_unknown


class Journal:
    """Containers as they were before the changes made under a condition."""

    def __init__(self) -> None:
        self.originals: dict[int, tuple[Any, Any]] = {}

    def note(self, container: Any) -> None:
        """Keep the contents of `container`, unless they are kept already."""
        if id(container) not in self.originals:
            self.originals[id(container)] = (container, _contents(container))

    def take_back(self) -> dict[int, tuple[Any, Any]]:
        """Restore every container; the contents that they had."""
        changed = {key: (container, _contents(container)) for key, (container, _) in self.originals.items()}
        for container, contents in self.originals.values():
            _restore(container, contents)
        return changed


def _contents(container: Any) -> Any:
    if isinstance(container, list):
        return list(container)
    return set(container) if isinstance(container, set) else dict(container)


def _restore(container: Any, contents: Any) -> None:
    if isinstance(container, list):
        container[:] = contents
    else:
        container.clear()
        container.update(contents)


def merge(left: Value, right: Value) -> Value:
    """The value that is `left` or `right`: itself where they are equal, Unknown where not."""
    if left is right:
        return left
    if is_unknown(left) or is_unknown(right) or type(left) is not type(right):
        return Unknown("differs between paths")
    if isinstance(left, (list, tuple)) and len(left) == len(right):
        items = [merge(a, b) for a, b in zip(left, right, strict=False)]
        return items if isinstance(left, list) else tuple(items) if type(left) is tuple else _merged_opaque(left, right)
    return _merged_opaque(left, right)


def _merged_opaque(left: Value, right: Value) -> Value:
    try:
        equal = bool(left == right)
    except Exception:
        equal = False
    return left if equal else Unknown("differs between paths")


@dataclass
class _Outcome:
    completion: Completion | None
    raised: Raised | None
    contents: dict[int, tuple[Any, Any]]
    variables: dict[str, Value]


def run_alternatives(
    frame: Frame, node: ast.AST, alternatives: Sequence[Callable[[], Completion | None]]
) -> Completion | None:
    """Evaluate every alternative from the same state, and go on with the merge of those that run to their end."""
    interpreter = frame.interpreter
    interpreter.guesses.append(frame.origin(node))
    outcomes = [_attempt(frame, alternative) for alternative in alternatives]
    reached = [outcome for outcome in outcomes if outcome.raised is None]
    if not reached:
        assert outcomes[0].raised is not None
        raise outcomes[0].raised
    going_on = [outcome for outcome in reached if outcome.completion is None]
    _merge_states(frame, going_on or reached)
    if going_on:
        for outcome in reached:
            if outcome.completion is not None:
                _postpone(frame, outcome)
        return None
    return _merged_completion(frame, reached)


def choose(frame: Frame, node: ast.AST, alternatives: Sequence[Callable[[], Value]]) -> Value:
    """The value of an expression whose alternatives all are possible."""
    values: list[Value] = []

    def attempt(alternative: Callable[[], Value]) -> Callable[[], None]:
        return lambda: values.append(alternative())

    run_alternatives(frame, node, [attempt(alternative) for alternative in alternatives])
    result = values[0]
    for value in values[1:]:
        result = merge(result, value)
    return result if len(values) == len(alternatives) else Unknown("may raise")


def _attempt(frame: Frame, alternative: Callable[[], Completion | None]) -> _Outcome:
    interpreter = frame.interpreter
    outer = interpreter.journal
    journal = interpreter.journal = Journal()
    journal.note(frame.variables)
    interpreter.uncertain += 1
    completion: Completion | None = None
    raised: Raised | None = None
    try:
        completion = alternative()
    except Raised as error:
        raised = error
    finally:
        interpreter.uncertain -= 1
        interpreter.journal = outer
        variables = dict(frame.variables)
        contents = journal.take_back()
    if outer is not None:
        for container, _ in journal.originals.values():
            outer.note(container)
    return _Outcome(completion, raised, contents, variables)


def _merge_states(frame: Frame, outcomes: Sequence[_Outcome]) -> None:
    containers = {key: container for outcome in outcomes for key, (container, _) in outcome.contents.items()}
    for key, container in containers.items():
        unchanged = (container, _contents(container))
        states = [outcome.contents.get(key, unchanged)[1] for outcome in outcomes]
        merged = states[0]
        for state in states[1:]:
            merged = _merged_contents(frame, container, merged, state)
        _restore(container, merged)


def _merged_contents(frame: Frame, container: Any, left: Any, right: Any) -> Any:
    if isinstance(container, list):
        if len(left) == len(right):
            return [merge(a, b) for a, b in zip(left, right, strict=False)]
    elif isinstance(container, set):
        if left == right:
            return left
    else:
        return merge_variables(left, right)
    frame.interpreter.forget(container)
    return left if len(left) > len(right) else right


def merge_variables(left: dict[str, Value], right: dict[str, Value]) -> dict[str, Value]:
    """Variables that are as in `left` or as in `right`; bound in one only means Unknown."""
    merged: dict[str, Value] = {}
    for name in [*left, *(name for name in right if name not in left)]:
        a, b = left.get(name, UNBOUND), right.get(name, UNBOUND)
        merged[name] = Unknown(f"'{name}' may be unbound") if a is UNBOUND or b is UNBOUND else merge(a, b)
    return merged


def _postpone(frame: Frame, outcome: _Outcome) -> None:
    assert outcome.completion is not None
    loop = next((region for region in reversed(frame.regions) if isinstance(region, LoopState)), None)
    if outcome.completion.kind == "return":
        frame.pending_returns.append(outcome.completion.value)
        frame.interpreter.uncertain += 1
        frame.uncertain += 1
    elif loop is not None and outcome.completion is BREAK:
        loop.may_end = True
        loop.breaks.append(outcome.variables)
    elif loop is not None and outcome.completion is CONTINUE:
        loop.continues.append(outcome.variables)


def _merged_completion(frame: Frame, outcomes: Sequence[_Outcome]) -> Completion:
    completions = [outcome.completion for outcome in outcomes if outcome.completion is not None]
    first = completions[0]
    if all(completion.kind == "return" for completion in completions):
        value = first.value
        for completion in completions[1:]:
            value = merge(value, completion.value)
        return Completion("return", value)
    jumps = [completion for completion in completions if completion.kind != "return"]
    for outcome in outcomes:
        if outcome.completion is not jumps[0]:
            _postpone(frame, outcome)
    return jumps[0]
