"""Every evaluation ends."""

from __future__ import annotations

import time

import pytest
from evaluation import program

ENDLESS = {
    "while": ("def f():\n    n = 0\n    while True:\n        n += 1", 3),
    "outer loop": ("def f():\n    while True:\n        for i in range(3):\n            pass", 2),
    "counted": ("def f():\n    for i in range(10 ** 12):\n        pass", 2),
    "comprehension": ("def f():\n    return [i for i in range(10 ** 12)]", 2),
    "library iterator": ("import itertools\ndef f():\n    for i in itertools.count():\n        pass", 3),
    "recursion": ("def g(n):\n    return g(n + 1)\ndef f():\n    return g(0)", 2),
}


@pytest.mark.parametrize(("text", "line"), ENDLESS.values(), ids=ENDLESS.keys())
def test_what_does_not_end_is_found_at_its_line(text: str, line: int) -> None:
    workspace = program(text)
    workspace.call("f", budget=20_000)
    (finding,) = workspace.findings
    assert (finding.code, finding.span.line) == ("PT901", line)


LARGE = ["'a' * 10 ** 12", "[0] * 10 ** 12", "10 ** 10 ** 10", "1 << 10 ** 12", "list(range(10 ** 12))",
         "'x'.ljust(10 ** 12)", "f'{1:>1000000000000}'", "'%d' % 10 ** 10 ** 9", "sum(range(10 ** 12))"]  # fmt: skip


@pytest.mark.parametrize("expression", LARGE)
def test_a_huge_value_is_not_computed(expression: str) -> None:
    workspace = program(f"def f():\n    return {expression}")
    started = time.perf_counter()
    workspace.call("f", budget=20_000)
    assert time.perf_counter() - started < 1


def test_a_long_generator_is_cut() -> None:
    workspace = program(
        "def numbers():\n    n = 0\n    while True:\n        yield n\n        n += 1\n"
        "def f():\n    for n in numbers():\n        if n == 3:\n            return n"
    )
    workspace.call("f", budget=50_000)
    assert workspace.findings == []


def test_the_program_cannot_reach_what_is_not_a_value() -> None:
    for expression in ("().__class__.__base__.__subclasses__()", "open('x', 'w')", "eval('1')", "__import__('os')"):
        workspace = program(f"def f():\n    return {expression}")
        assert type(workspace.call("f")).__name__ == "_Unknown"
