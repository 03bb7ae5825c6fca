"""What is not known spreads silently, and never makes a finding that is an error."""

from __future__ import annotations

import pytest
from evaluation import program
from ptoscope_compiler.diagnostics.diagnostic import Severity
from ptoscope_compiler.evaluate.values import Unknown, is_unknown

SPREADING = [
    "x + 1",
    "1 < x",
    "-x",
    "not x",
    "x.attribute.deeper",
    "x[0]",
    "x(1, key=2)",
    "[1, 2][x]",
    "{'a': 1}[x]",
    "x in [1]",
    "f'{x}'",
    "len(x)",
    "min(x, 2)",
    "sum([1, x])",
    "int(x)",
    "x and 1",
    "[*x]",
    "sorted([x, 1])",
    "math.sqrt(x)",
    "missing_module.anything(3)",
    "', '.join(x)",
    "1 if x else 2",
]


@pytest.mark.parametrize("expression", SPREADING)
def test_an_unknown_operand_makes_the_result_unknown(expression: str) -> None:
    workspace = program(f"import math\nimport missing_module\ndef f(x):\n    return {expression}")
    assert is_unknown(workspace.call("f", Unknown()))
    assert workspace.findings == []


def test_both_arms_of_an_unknown_condition_are_merged() -> None:
    workspace = program(
        """
        def f(x):
            same, differs, items = 1, 1, [1, 2]
            if x:
                differs = 2
                items[0] = 7
                only = 3
            else:
                same = 1
            return same, differs, items
        """
    )
    same, differs, items = workspace.call("f", Unknown())
    assert same == 1
    assert is_unknown(differs)
    assert is_unknown(items[0])
    assert items[1] == 2


def test_changes_in_one_arm_are_not_seen_in_the_other() -> None:
    workspace = program(
        """
        seen = []
        def f(x):
            items = []
            if x:
                items.append(1)
            else:
                seen.append(len(items))
            return seen
        """
    )
    workspace.call("f", Unknown())
    assert workspace.module().scope.variables["seen"] in ([0], [])


def test_an_arm_that_raises_is_left_out() -> None:
    workspace = program("def f(x):\n    n = 1\n    if x:\n        n = 2\n        raise ValueError\n    return n")
    assert workspace.call("f", Unknown()) == 1
    assert workspace.findings == []


def test_a_possible_return_joins_the_result() -> None:
    workspace = program(
        "def f(x):\n    if x:\n        return 1\n    return 1\ndef g(x):\n    if x: return 1\n    return 2"
    )
    assert workspace.call("f", Unknown()) == 1
    assert is_unknown(workspace.call("g", Unknown()))


def test_a_loop_over_unknown_runs_once_and_forgets_what_it_changes() -> None:
    workspace = program(
        """
        def f(x):
            kept, total, seen = 5, 0, []
            for item in x:
                total += 1
                seen.append(item)
            return kept, total, len(seen)
        """
    )
    kept, total, seen = workspace.call("f", Unknown())
    assert kept == 5
    assert is_unknown(total)
    assert is_unknown(seen)


def test_a_possible_break_ends_an_endless_loop() -> None:
    workspace = program(
        "def f(x):\n    n = 0\n    while True:\n        n += 1\n        if x:\n            break\n    return n"
    )
    assert is_unknown(workspace.call("f", Unknown()))
    assert workspace.findings == []


def test_an_error_behind_an_unknown_condition_is_a_warning() -> None:
    workspace = program("def f(x):\n    if x:\n        return [1][3]\n    return 0")
    workspace.call("f", Unknown())
    assert [(finding.code, finding.severity) for finding in workspace.findings] == [("PT653", Severity.WARNING)]


def test_unknown_arguments_fill_the_rest_of_a_signature() -> None:
    workspace = program("def g(a, b, c=3): return a, b, c\ndef f(x): return g(1, *x)")
    first, second, third = workspace.call("f", Unknown())
    assert first == 1
    assert is_unknown(second)
    assert is_unknown(third)


def test_a_dict_with_an_unknown_key_keeps_what_it_knows() -> None:
    workspace = program("def f(x):\n    d = {'a': 1}\n    d[x] = 2\n    return d.get('z'), 'q' in d, len(d)")
    assert all(map(is_unknown, workspace.call("f", Unknown())))
    assert workspace.findings == []


def test_an_unknown_decorator_keeps_the_function() -> None:
    workspace = program("import missing\n@missing.mark(1)\ndef g(): return 4\ndef f(): return g()")
    assert workspace.call("f") == 4


def test_a_star_import_of_an_unknown_module_leaves_names_open() -> None:
    workspace = program("from missing import *\ndef f(): return surely_from_there(1)")
    assert is_unknown(workspace.call("f"))
    assert workspace.findings == []
