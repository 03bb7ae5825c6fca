"""Small generated programs: the evaluator and Python agree, or both see an error of the same kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from evaluation import by_python, program
from generated import bodies, program_text
from hypothesis import HealthCheck, given, settings
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic, Severity
from ptoscope_compiler.evaluate.values import Unknown, is_unknown

RULES = {
    "PT650": (NameError,),
    "PT651": (TypeError,),
    "PT652": (ValueError,),
    "PT653": (LookupError,),
    "PT654": (AttributeError,),
    "PT655": (TypeError,),
    "PT656": (ZeroDivisionError,),
    "PT657": (ValueError, OverflowError, RuntimeError),
}


def outcome(text: str, *arguments: Any) -> tuple[Any, BaseException | None]:
    try:
        return by_python(text, "f", *arguments), None
    except Exception as error:
        return None, error


def is_like(finding: Diagnostic, error: BaseException) -> bool:
    """Whether a finding is the one for what Python raises. After an error the evaluation goes on, and may find more."""
    if finding.code == "PT658":
        return bool(finding.arguments["exception"] == type(error).__name__)
    return isinstance(error, RULES[finding.code])


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """`error` and what was raised before it, which a `finally` block may have replaced."""
    while error is not None:
        yield error
        error = error.__context__


def plain(value: Any) -> str:
    """A form under which equal results are equal, NaN and the types of numbers included."""
    return repr(value)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(bodies)
def test_a_generated_program_gives_what_python_gives(body: list[str]) -> None:
    text = program_text(body, "'c'")
    expected, error = outcome(text)
    workspace = program(text)
    value = workspace.call("f")
    if error is None:
        assert workspace.findings == []
        assert plain(value) == plain(expected)
        return
    assert any(is_like(finding, raised) for finding in workspace.findings for raised in chain(error))


def covers(abstract: Any, concrete: Any) -> bool:
    """Whether what the evaluator says of a value holds for `concrete`."""
    if is_unknown(abstract):
        return True
    if isinstance(abstract, (list, tuple)):
        same = type(abstract) is type(concrete) and len(abstract) == len(concrete)
        return same and all(map(covers, abstract, concrete))
    if isinstance(abstract, dict):
        return any(map(is_unknown, abstract)) or repr(abstract) == repr(concrete)
    return plain(abstract) == plain(concrete)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(bodies)
def test_what_is_said_of_an_unknown_argument_holds_for_every_argument(body: list[str]) -> None:
    text = program_text(body, "x", "x")
    workspace = program(text)
    value = workspace.call("f", Unknown())
    certain = [finding for finding in workspace.findings if finding.severity is Severity.ERROR]
    for argument in (0, 3, -1, 0.5, "", "text", [], [1, 2], {"k": 1}, None, True):
        result, error = outcome(text, argument)
        if certain:
            assert error is not None
        elif error is None and not workspace.findings:
            assert covers(value, result)
