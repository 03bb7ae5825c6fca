"""Small generated programs: the evaluator and Python agree, or both see an error of the same kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from evaluation import by_python, program
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic

NAMES = ("a", "b", "c")
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

literals = st.one_of(
    st.integers(-9, 9).map(str),
    st.sampled_from(["0.5", "-2.0", "True", "False", "None", "'x'", "'row'", "[]", "[1, 2, 3]", "(4, 5)", "{'k': 1}"]),
    st.sampled_from(NAMES),
)


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.sampled_from(["+", "-", "*", "//", "%", "/", "&", "|", "==", "<", ">=", "!=", "and", "or", "in", "is"])
    return st.one_of(
        st.tuples(inner, binary, inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(st.sampled_from(["-", "not ", "~"]), inner).map(lambda parts: f"({parts[0]}{parts[1]})"),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})"),
        st.tuples(inner, inner).map(lambda parts: f"[{parts[0]}, {parts[1]}]"),
        st.tuples(inner, inner).map(lambda parts: f"({parts[0]})[{parts[1]}]"),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} < {parts[1]} <= {parts[2]})"),
        st.tuples(inner, inner).map(lambda parts: f"[{parts[0]} for a in {parts[1]} if a]"),
        st.tuples(st.sampled_from(["len", "abs", "str", "list", "sum", "sorted", "max", "int", "bool"]), inner).map(
            lambda parts: f"{parts[0]}({parts[1]})"
        ),
        st.tuples(inner, inner).map(lambda parts: f"h({parts[0]}, {parts[1]})"),
        inner.map(
            lambda part: f"f'{{{part}!r:>4}}'".replace("'", '"') if "'" not in part and '"' not in part else part
        ),
        inner.map(lambda part: f"(lambda a: {part})(3)"),
    )


expressions = st.recursive(literals, larger, max_leaves=6)


def block(statements: list[str]) -> str:
    return "\n".join("    " + line for text in statements for line in text.split("\n"))


def larger_statement(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    blocks = st.lists(inner, min_size=1, max_size=3).map(block)
    names = st.sampled_from(NAMES)
    return st.one_of(
        st.tuples(expressions, blocks, blocks).map(lambda p: f"if {p[0]}:\n{p[1]}\nelse:\n{p[2]}"),
        st.tuples(names, expressions, blocks, blocks).map(lambda p: f"for {p[0]} in {p[1]}:\n{p[2]}\nelse:\n{p[3]}"),
        st.tuples(blocks, blocks, blocks).map(
            lambda p: f"try:\n{p[0]}\nexcept (TypeError, LookupError):\n{p[1]}\nfinally:\n{p[2]}"
        ),
        blocks.map(lambda p: f"n = 0\nwhile n < 3:\n    n += 1\n{p}"),
    )


simple_statements = st.one_of(
    st.tuples(st.sampled_from(NAMES), expressions).map(lambda p: f"{p[0]} = {p[1]}"),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["+", "-", "*"]), expressions).map(
        lambda p: f"{p[0]} {p[1]}= {p[2]}"
    ),
    expressions.map(lambda e: f"a, b = {e}"),
    st.tuples(st.sampled_from(NAMES), expressions).map(lambda p: f"{p[0]}[0] = {p[1]}"),
    expressions.map(lambda e: f"return {e}"),
    expressions.map(lambda e: f"log.append({e})"),
    expressions.map(lambda e: f"assert {e}, 'no'"),
    st.just("del c"),
)
statements = st.recursive(simple_statements, larger_statement, max_leaves=5)
programs = st.lists(statements, min_size=1, max_size=5).map(
    lambda body: (
        "log = []\ndef h(p, q=2): return [p, q]\ndef f():\n    a, b, c = 1, [2, 3], 'c'\n"
        + block(body)
        + "\n    return a, b, log\n"
    )
)


def outcome(text: str) -> tuple[Any, BaseException | None]:
    try:
        return by_python(text), None
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
@given(programs)
def test_a_generated_program_gives_what_python_gives(text: str) -> None:
    expected, error = outcome(text)
    workspace = program(text)
    value = workspace.call("f")
    if error is None:
        assert workspace.findings == []
        assert plain(value) == plain(expected)
        return
    assert any(is_like(finding, raised) for finding in workspace.findings for raised in chain(error))
