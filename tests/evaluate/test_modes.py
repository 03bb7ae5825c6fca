"""What a mode sees: hand-over of loops, branches, jumps and blocks, refused constructs, kernels and their calls."""

from __future__ import annotations

from typing import Any

import pytest
from evaluation import program
from ptoscope_compiler.evaluate.dialect import Construct, Dialect
from ptoscope_compiler.evaluate.kernels import Kernel, define
from ptoscope_compiler.evaluate.site import Branch, ForLoop, Site, WhileLoop, WithBlock
from ptoscope_compiler.evaluate.values import Abstract, Arguments, Builtin, Unsupported, Value


class RunTime(Abstract):
    """A scalar known only at run time; its operations write themselves down."""

    type_name = "run-time scalar"

    def __init__(self, text: str, log: list[Any]) -> None:
        self.text = text
        self.log = log

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator in ("is", "is not", "in"):
            raise Unsupported("no identity")
        theirs = getattr(other, "text", other)
        left, right = (theirs, self.text) if reflected else (self.text, theirs)
        return RunTime(f"({left} {operator} {right})", self.log)

    def unary(self, operator: str, site: Site) -> Value:
        return RunTime(f"({operator} {self.text})", self.log)

    def truth(self, site: Site) -> bool | None:
        return None

    def trace_branch(self, branch: Branch, site: Site) -> bool:
        before = {name: branch.get(name) for name in branch.stored_names}
        first = branch.run_then()
        after = {name: branch.get(name) for name in branch.stored_names}
        for name, value in before.items():
            branch.set(name, value)
        second = branch.run_otherwise()
        self.log.append(("if", self.text, branch.stored_names, after))
        branch.set_result(RunTime(f"select({self.text}, {first}, {second})", self.log))
        return True

    def trace_while(self, loop: WhileLoop, site: Site) -> bool:
        loop.run_body()
        self.log.append(("while", self.text, loop.stored_names, getattr(loop.condition(), "text", None)))
        return True


class Range(Abstract):
    """The iterable of a run-time loop."""

    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def trace_loop(self, loop: ForLoop, site: Site) -> bool:
        self.log.append(("for", loop.stored_names, loop.is_syntactic))
        loop.run_body(RunTime("i", self.log))
        return True


class Section(Abstract):
    """A context whose body is skipped."""

    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def trace_with(self, block: WithBlock, site: Site) -> bool:
        self.log.append("section")
        return True


class Decorator(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        return define(Kernel(arguments.positional[0], "test"), site)


class Mode(Abstract):
    def __init__(self, log: list[Any]) -> None:
        self.log = log
        self.members = {
            "loop": Make("loop", lambda: Range(log)),
            "section": Make("section", lambda: Section(log)),
            "kernel": Decorator("kernel"),
        }

    def get_attribute(self, name: str, site: Site) -> Value:
        if name not in self.members:
            raise Unsupported(f"pypto has no '{name}'")
        return self.members[name]


class Make(Builtin):
    def __init__(self, name: str, make: Any) -> None:
        super().__init__(name)
        self.make = make

    def call(self, arguments: Arguments, site: Site) -> Value:
        return self.make()


def traced(body: str, dialect: Dialect | None = None) -> tuple[Any, list[Any], list[Any]]:
    """Evaluate `def f(x)` with a run-time `x`: its value, what the mode saw, the findings."""
    log: list[Any] = []
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    workspace = program(f"import pypto\ndef f(x):\n{lines}", modules={"pypto": Mode(log)})
    value = workspace.call("f", RunTime("x", log), dialect=dialect)
    return getattr(value, "text", value), log, workspace.findings


def test_a_branch_is_handed_over_with_the_names_that_it_stores() -> None:
    value, log, findings = traced("a = 1; b = []\nif x > 0:\n    a = 2\n    b[0:] = [4]\nelse:\n    c = 3\nreturn a")
    assert value == 1
    assert log == [("if", "(x > 0)", ("a", "b", "c"), {"a": 2, "b": [4], "c": log[0][3]["c"]})]
    assert findings == []


def test_a_conditional_expression_gets_its_value_from_the_mode() -> None:
    assert traced("return 1 if x else 2")[0] == "select(x, 1, 2)"


def test_and_or_and_chained_comparisons_reach_the_mode() -> None:
    assert traced("return x > 0 and x < 5 or False")[0] == "(((x > 0) and (x < 5)) or False)"
    assert traced("return 0 < x < 5")[0] == "((0 < x) and (x < 5))"
    assert traced("return not x")[0] == "(not x)"
    assert traced("return True and x")[0] == "x"
    assert traced("return False and x")[0] is False


def test_a_loop_is_handed_over_and_its_body_evaluated_once() -> None:
    value, log, findings = traced("t = 0\nfor i in pypto.loop(4):\n    t = t + i\nreturn t")
    assert value == "(0 + i)"
    assert log == [("for", ("t",), True)]
    assert findings == []


def test_a_while_is_handed_over() -> None:
    value, log, findings = traced("while x < 3:\n    x = x + 1\nreturn x")
    assert value == "(x + 1)"
    assert log == [("while", "(x < 3)", ("x",), "((x + 1) < 3)")]


def test_a_block_may_skip_its_body() -> None:
    value, log, findings = traced("a = 1\nwith pypto.section():\n    a = 2\nreturn a")
    assert (value, log, findings) == (1, ["section"], [])


@pytest.mark.parametrize(
    ("body", "jump"),
    [
        ("for i in pypto.loop(4):\n    break", "'break' in a run-time loop or branch"),
        ("for i in pypto.loop(4):\n    if x:\n        continue", "'continue' in a run-time loop or branch"),
        ("for i in range(3):\n    if x:\n        break", "'break' in a run-time loop or branch"),
        ("if x:\n    return 1", "'return' in a run-time loop or branch"),
    ],
)
def test_a_jump_out_of_run_time_code_is_refused(body: str, jump: str) -> None:
    _, _, findings = traced(body)
    assert [(finding.code, finding.arguments["construct"]) for finding in findings][:1] == [("PT660", jump)]


def test_a_jump_within_an_unrolled_loop_is_no_run_time_jump() -> None:
    value, _, findings = traced("for i in pypto.loop(4):\n    for j in range(9):\n        if j == 2: break\nreturn j")
    assert value == 2
    assert findings == []


def test_a_mode_may_record_jumps() -> None:
    jumps: list[str] = []

    class Recording(Dialect):
        def trace_jump(self, jump: Any, value: Value, site: Site) -> bool:
            jumps.append(f"{jump} at line {site.origin.span.line}")
            return True

    _, _, findings = traced("for i in pypto.loop(4):\n    if x:\n        break\n    y = 1\nreturn 0", Recording())
    assert jumps == ["break at line 5"]
    assert findings == []


REFUSED = {
    Construct.TRY: "try:\n    pass\nfinally:\n    pass",
    Construct.WITH: "with x:\n    pass",
    Construct.IMPORT: "import os",
    Construct.GLOBAL: "global g",
    Construct.CLASS: "class C: pass",
    Construct.LAMBDA: "lambda: 1",
    Construct.NESTED_FUNCTION: "def g(): pass",
    Construct.GENERATOR_EXPRESSION: "(i for i in [1])",
    Construct.COMPREHENSION: "[i for i in [1]]",
    Construct.WALRUS: "(n := 1)",
    Construct.STARRED_TARGET: "a, *b = [1, 2]",
    Construct.CHAINED_ASSIGNMENT: "a = b = 1",
    Construct.WHILE: "while False: pass",
    Construct.WHILE_ELSE: "while False: pass\nelse: pass",
    Construct.FOR_ELSE: "for i in []: pass\nelse: pass",
    Construct.UNROLLED_FOR: "for i in [1]: pass",
    Construct.ASSERT: "assert True",
    Construct.DELETE: "a = 1\ndel a",
    Construct.MATCH: "match 1:\n    case 1: pass",
    Construct.RETURN_FROM_ENTRY: "return None",
    Construct.RETURN_VALUE_FROM_ENTRY: "return 3",
}


@pytest.mark.parametrize(("construct", "body"), REFUSED.items(), ids=[construct.name for construct in REFUSED])
def test_a_dialect_refuses_what_it_does_not_have(construct: Construct, body: str) -> None:
    dialect = Dialect("Tensor mode", frozenset({construct}))
    findings = traced(body, dialect)[2]
    assert [finding.arguments["construct"] for finding in findings] == [construct.value]
    assert "Tensor mode" in findings[0].message()
    assert traced(body)[2] == []


def test_helpers_follow_the_dialect_of_the_kernel_and_hosts_do_not() -> None:
    text = "def helper():\n    return [i for i in [1]]\ndef f():\n    return helper()"
    workspace = program(text)
    workspace.call("f", dialect=Dialect("Tensor mode", frozenset({Construct.COMPREHENSION})))
    assert [finding.span.line for finding in workspace.findings] == [2]


def test_parameters_by_reference_rebind_the_variable_of_the_caller() -> None:
    text = "def helper(p):\n    p = p + [1]\ndef f():\n    a = [0]\n    helper(a)\n    return a"
    assert program(text).call("f", dialect=Dialect(parameters_by_reference=True)) == [0, 1]
    assert program(text).call("f") == [0]


def test_the_truth_of_a_run_time_value_is_refused_where_python_needs_it_now() -> None:
    for body in ("return bool(x)", "assert x", "return [1 for i in [1] if x]", "return any([x])"):
        assert [finding.code for finding in traced(body)[2]] == ["PT661"]


def test_calls_of_kernels_in_host_code_are_recorded_with_their_shapes() -> None:
    log: list[Any] = []
    workspace = program(
        """
        import torch, pypto, pytest
        @pypto.kernel
        def add(x, y, n=1): ...
        def launch(rows):
            x = torch.zeros(rows, 8, dtype=torch.float16)
            add(x, x.t().float(), n=2)
        @pytest.mark.parametrize("rows, cols", [(4, 1), pytest.param(6, 2, id="six")])
        def test_add(rows, cols):
            launch(rows)
        """,
        modules={"pypto": Mode(log)},
    )
    from ptoscope_compiler.evaluate.library.testing import parameter_sets

    test = workspace.module().scope.variables["test_add"]
    assert list(parameter_sets(test)) == [{"rows": 4, "cols": 1}, {"rows": 6, "cols": 2}]
    for values in parameter_sets(test):
        workspace.environment.call(test, Arguments((), values))
    assert [kernel.name for kernel in workspace.environment.kernels] == ["add"]
    calls = workspace.environment.specialisations
    assert [[array.describe() for array in call.arguments.positional] for call in calls] == [
        ["Tensor[[4, 8], float16]", "Tensor[[8, 4], float32]"],
        ["Tensor[[6, 8], float16]", "Tensor[[8, 6], float32]"],
    ]
    assert dict(calls[0].arguments.keywords) == {"n": 2}
    assert [place.span.line for place in calls[0].origin.chain()] == [7, 10]


def test_a_refused_block_is_marked_by_its_header() -> None:
    body = "while x.a > (1 +\n  2):\n    y = 1\nwith x as z:\n    pass\ntry:\n    pass\nfinally:\n    pass"
    constructs = frozenset({Construct.WHILE, Construct.WITH, Construct.TRY})
    findings = traced(body, Dialect("Tensor mode", constructs))[2]
    marked = [(f.span.line, f.span.column, f.span.end_line, f.span.end_column) for f in findings if f.code == "PT660"]
    assert marked == [(3, 4, 4, 8), (6, 4, 6, 15), (8, 4, 8, 7)]


def test_a_kernel_inlines_a_wrapped_helper_without_its_wrapper() -> None:
    text = """
        import functools
        def traced(fn):
            @functools.wraps(fn)
            def wrapper(*args, **kwargs):
                return "wrapper", fn(*args, **kwargs)
            return wrapper
        @traced
        def helper(x): return x
        def f(): return helper(1)
        """
    dialect = Dialect("Tensor mode", frozenset({Construct.VARIADIC_PARAMETERS}))
    kernel, host = program(text), program(text)
    assert (kernel.call("f", dialect=dialect), kernel.findings) == (1, [])
    assert (host.call("f"), host.findings) == (("wrapper", 1), [])


def test_unpacking_by_index_ignores_what_is_left_over() -> None:
    text = """
        def f():
            a, b = [1, 2, 3]
            (c, d), e = (4, 5), 6
            return a, b, c, d, e
        def short():
            a, b = [1]
        """
    workspace = program(text)
    assert workspace.call("f", dialect=Dialect(unpacks_by_index=True)) == (1, 2, 4, 5, 6)
    assert workspace.findings == []
    workspace.call("short", dialect=Dialect(unpacks_by_index=True))
    assert workspace.codes() == ["PT652"]
