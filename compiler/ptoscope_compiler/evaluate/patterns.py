"""`match`."""

from __future__ import annotations

import ast

from .attributes import get_attribute
from .builtin_functions import is_instance
from .dialect import Construct
from .dispatch import Completion, evaluate, execute, statement
from .operation import Operation
from .operators import definite_truth, equal
from .scope import Frame
from .uncertainty import run_alternatives
from .values import Unknown, Value, is_unknown


@statement(ast.Match)
def _match(frame: Frame, node: ast.Match) -> Completion | None:
    frame.refuse(Construct.MATCH, node)
    subject = evaluate(frame, node.subject)
    return _try_cases(frame, node, subject, node.cases)


def _try_cases(frame: Frame, node: ast.Match, subject: Value, cases: list[ast.match_case]) -> Completion | None:
    for index, case in enumerate(cases):
        matches = _matches(frame, case.pattern, subject)
        if matches and case.guard is not None:
            matches = definite_truth(evaluate(frame, case.guard), Operation(frame, case.guard))
        if matches is None:
            rest = cases[index + 1 :]
            return run_alternatives(
                frame,
                node.subject,
                (lambda: execute(frame, case.body), lambda: _try_cases(frame, node, subject, rest)),  # noqa: B023
            )
        if matches:
            return execute(frame, case.body)
    return None


def _matches(frame: Frame, pattern: ast.pattern, subject: Value) -> bool | None:
    """Whether `subject` matches, binding the captures; None where that is not known."""
    if isinstance(pattern, ast.MatchValue):
        return _answer(equal(subject, evaluate(frame, pattern.value), Operation(frame, pattern)))
    if isinstance(pattern, ast.MatchSingleton):
        return None if is_unknown(subject) else subject is pattern.value
    if isinstance(pattern, ast.MatchOr):
        return _any(frame, pattern, subject)
    if isinstance(pattern, ast.MatchAs):
        matches = True if pattern.pattern is None else _matches(frame, pattern.pattern, subject)
        if pattern.name is not None and matches is not False:
            frame.store(pattern.name, subject)
        return matches
    if isinstance(pattern, ast.MatchSequence):
        return _matches_sequence(frame, pattern, subject)
    if isinstance(pattern, ast.MatchMapping):
        return _matches_mapping(frame, pattern, subject)
    if isinstance(pattern, ast.MatchClass):
        return _matches_class(frame, pattern, subject)
    return None


def _any(frame: Frame, pattern: ast.MatchOr, subject: Value) -> bool | None:
    unsure = False
    for alternative in pattern.patterns:
        matches = _matches(frame, alternative, subject)
        if matches:
            return True
        unsure = unsure or matches is None
    return None if unsure else False


def _matches_sequence(frame: Frame, pattern: ast.MatchSequence, subject: Value) -> bool | None:
    star = next((i for i, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)), None)
    if is_unknown(subject):
        _bind_unknown(frame, pattern)
        return None
    if not isinstance(subject, (list, tuple)):
        return False
    parts, items = list(pattern.patterns), list(subject)
    if star is None:
        return _all(frame, parts, items) if len(items) == len(parts) else False
    after = len(parts) - star - 1
    if len(items) < len(parts) - 1:
        return False
    starred = parts[star]
    assert isinstance(starred, ast.MatchStar)
    if starred.name is not None:
        frame.store(starred.name, items[star : len(items) - after])
    return _all(frame, parts[:star] + parts[star + 1 :], items[:star] + items[len(items) - after :])


def _matches_mapping(frame: Frame, pattern: ast.MatchMapping, subject: Value) -> bool | None:
    if not isinstance(subject, dict):
        _bind_unknown(frame, pattern)
        return None if is_unknown(subject) else False
    keys = [evaluate(frame, key) for key in pattern.keys]
    if any(key not in subject for key in keys):
        return False
    if pattern.rest is not None:
        frame.store(pattern.rest, {key: value for key, value in subject.items() if key not in keys})
    return _all(frame, pattern.patterns, [subject[key] for key in keys])


def _matches_class(frame: Frame, pattern: ast.MatchClass, subject: Value) -> bool | None:
    site = Operation(frame, pattern)
    kind = evaluate(frame, pattern.cls)
    known = is_instance(subject, kind, site)
    if not known:
        if known is None:
            _bind_unknown(frame, pattern)
        return known
    if kind in (int, str, float, bool, list, tuple, dict, set, bytes):
        values = [subject]
    else:
        names = get_attribute(kind, "__match_args__", site) if pattern.patterns else ()
        if is_unknown(names):
            _bind_unknown(frame, pattern)
            return None
        values = [get_attribute(subject, name, site) for name in names[: len(pattern.patterns)]]
    values += [get_attribute(subject, name, site) for name in pattern.kwd_attrs]
    return _all(frame, [*pattern.patterns, *pattern.kwd_patterns], values)


def _all(frame: Frame, patterns: list[ast.pattern], subjects: list[Value]) -> bool | None:
    answer: bool | None = True
    for pattern, subject in zip(patterns, subjects, strict=False):
        matches = _matches(frame, pattern, subject)
        if matches is False:
            return False
        if matches is None:
            answer = None
    return answer


def _bind_unknown(frame: Frame, pattern: ast.pattern) -> None:
    for node in ast.walk(pattern):
        name = getattr(node, "rest", None) or getattr(node, "name", None)
        if name is not None:
            frame.store(name, Unknown(name))


def _answer(value: Value) -> bool | None:
    return value if isinstance(value, bool) else None
