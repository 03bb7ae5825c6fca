"""Errors that Python would raise are found at the exact range, and the evaluation goes on."""

from __future__ import annotations

import pytest
from evaluation import program

CASES = {
    "undefined name": ("missing_name + 1", "PT650", "name 'missing_name' is not defined", "missing_name"),
    "wrong arguments": (
        "g(1, 2, 3)",
        "PT651",
        "g() takes from 1 to 2 positional arguments but 3 were given",
        "g(1, 2, 3)",
    ),
    "missing argument": ("g()", "PT651", "g() missing 1 required positional argument: 'a'", "g()"),
    "unexpected keyword": ("g(1, z=2)", "PT651", "g() got an unexpected keyword argument 'z'", "g(1, z=2)"),
    "twice given": ("g(1, a=2)", "PT651", "g() got multiple values for argument 'a'", "g(1, a=2)"),
    "index": ("[1, 2][5]", "PT653", "list index out of range", "[1, 2][5]"),
    "key": ("{'a': 1}['b']", "PT653", "key 'b' is missing", "{'a': 1}['b']"),
    "attribute": ("'text'.missing", "PT654", "'str' object has no attribute 'missing'", "'text'.missing"),
    "instance attribute": ("C().missing", "PT654", "'C' object has no attribute 'missing'", "C().missing"),
    "operands": ("1 + 'a'", "PT655", "unsupported operand type(s) for +: 'int' and 'str'", "1 + 'a'"),
    "not callable": ("(3)(4)", "PT655", "'int' object is not callable", "(3)(4)"),
    "division": ("7 // 0", "PT656", "integer division or modulo by zero", "7 // 0"),
    "value": ("int('x')", "PT657", "invalid literal for int() with base 10: 'x'", "int('x')"),
    "unhashable": ("{[]: 1}", "PT655", "unhashable type: 'list'", "[]"),
}


@pytest.mark.parametrize(("expression", "code", "message", "place"), CASES.values(), ids=CASES.keys())
def test_an_error_is_found_where_it_is(expression: str, code: str, message: str, place: str) -> None:
    workspace = program(
        f"class C: pass\ndef g(a, b=2): return a\ndef f():\n    bad = {expression}\n    return 'went on'"
    )
    assert workspace.call("f") == "went on"
    (finding,) = workspace.findings
    line = f"    bad = {expression}"
    assert (finding.code, finding.message()) == (code, message)
    assert finding.span.line == 4
    assert line[finding.span.column : finding.span.end_column] == place


def test_the_count_of_unpacking_is_checked() -> None:
    workspace = program("def f():\n    a, b = 1, 2, 3\n    return a")
    workspace.call("f")
    assert [(f.code, f.message(), f.span.column, f.span.end_column) for f in workspace.findings] == [
        ("PT652", "too many values to unpack (expected 2, got 3)", 4, 8)
    ]


def test_a_finding_in_a_helper_names_the_call_that_leads_there() -> None:
    workspace = program(
        "def inner(x):\n    return x[9]\ndef outer(x):\n    return inner(x)\ndef f():\n    return outer([1])"
    )
    workspace.call("f")
    (finding,) = workspace.findings
    assert [(place.function, place.span.line) for place in finding.origin.chain()] == [
        ("inner", 2),
        ("outer", 4),
        ("f", 6),
    ]


def test_a_finding_in_an_unrolled_loop_is_reported_once() -> None:
    workspace = program("def f():\n    for i in range(5):\n        [][0]")
    workspace.call("f")
    assert workspace.codes() == ["PT653"]


def test_an_exception_that_nobody_catches_is_found_where_it_is_raised() -> None:
    workspace = program("def g():\n    raise ValueError('no such shape')\ndef f():\n    g()")
    workspace.call("f")
    (finding,) = workspace.findings
    assert finding.code == "PT658"
    assert "ValueError" in finding.message()
    assert "no such shape" in finding.message()
    assert finding.span.line == 2


def test_an_assertion_that_cannot_hold_is_found_and_the_rest_evaluated() -> None:
    workspace = program("def f():\n    assert 1 == 2, 'one is not two'\n    return 5")
    assert workspace.call("f") == 5
    assert [finding.message() for finding in workspace.findings] == [
        "AssertionError is raised here while the kernel is compiled: one is not two"
    ]


def test_errors_that_the_program_catches_are_no_findings() -> None:
    workspace = program("def f():\n    try:\n        return {}['x']\n    except KeyError:\n        return 'caught'")
    assert workspace.call("f") == "caught"
    assert workspace.findings == []
