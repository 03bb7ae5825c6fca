"""Strategies for small programs."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("a", "b", "c")

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
bodies = st.lists(statements, min_size=1, max_size=5)


def program_text(body: list[str], c: str, parameter: str = "") -> str:
    """A module whose function `f` runs `body` with variables `a`, `b` and `c`."""
    helper = "log = []\ndef h(p, q=2): return [p, q]\n"
    return f"{helper}def f({parameter}):\n    a, b, c = 1, [2, 3], {c}\n{block(body)}\n    return a, b, log\n"
