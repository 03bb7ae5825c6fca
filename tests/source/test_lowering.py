"""The syntax tree equals that of Python's own parser on every valid text, and keeps what it can of any other."""

from __future__ import annotations

import ast
import sysconfig
import textwrap
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptoscope_compiler.source.concrete import TextEdit
from ptoscope_compiler.source.file import SourceFile
from ptoscope_compiler.source.nodes import ErrorStatement

STDLIB = sorted(path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if path.stat().st_size < 50_000)


def _dump(tree: ast.AST) -> str:
    return ast.dump(tree, include_attributes=True)


def _reference(text: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _dump(ast.parse(text))
        except (SyntaxError, ValueError):
            return None


@pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)
def test_equals_the_parser_of_python_on_the_standard_library(path: Path) -> None:
    file = SourceFile.read(str(path))
    assert file.problems == ()
    assert _dump(file.module) == _reference(file.text.content)


KERNEL = textwrap.dedent('''\
    """A kernel."""
    import pypto

    N = 64  # rows

    @pypto.frontend.jit(runtime_options={"run_mode": 1})
    def scale(a: pypto.Tensor((N, N), pypto.DT_FP32), out: pypto.Tensor((N, N), pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 32)
        for i in pypto.loop(4, name="L"):
            if i == 0:
                x = a[i * 16 : (i + 1) * 16, :]
            elif (k := i % 2) == 1:
                x = [f"{k!r:>{N}}" for _ in range(3)]
            else:
                x = lambda *args, **kwargs: args
            out[:] = x  # the result
        return out


    class Config:
        rows: int = 4

        async def run(self): await self.go(); return """
    # no comment
    """

    try:
        scale(1, 2)
    except (ValueError, TypeError) as error:
        raise
    finally:
        print("done",
    N)
    match N:
        case 1 | 2: pass
        case _: pass
    ''')


def test_the_sample_is_valid() -> None:
    assert SourceFile("k.py", KERNEL).problems == ()


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_agrees_with_python_whatever_is_typed(data: st.DataObject) -> None:
    """Any edits: the same verdict as Python, the same nodes where it accepts, and places inside the text."""
    file = SourceFile("k.py", KERNEL)
    for version in range(data.draw(st.integers(1, 3))):
        length = len(file.text.content)
        start = data.draw(st.integers(0, length))
        end = data.draw(st.integers(start, min(length, start + 12)))
        typed = data.draw(st.one_of(st.sampled_from(_TYPED), st.text(max_size=3)))
        _ = file.concrete
        file = file.edited([TextEdit(start, end, typed)], version)
    expected = _reference(file.text.content)
    assert (expected is None) == bool(file.problems)
    if expected is not None:
        assert _dump(file.module) == expected
    for problem in file.problems:
        assert 1 <= problem.line <= problem.end_line <= file.text.line_count
        assert (problem.line, problem.column) < (problem.end_line, problem.end_column)
    fresh = SourceFile("k.py", file.text.content)
    assert _dump(fresh.module) == _dump(file.module)


_TYPED = [
    "(",
    ")",
    "[",
    "]",
    ":",
    "\n",
    "\n\n",
    "\f",
    "    ",
    '"',
    '"""',
    "#",
    "\\\n",
    "x = ",
    "def f(",
    "@",
    "\t",
    "\0",
    "é",
    "\r",
    "\f",
]


@pytest.mark.parametrize(
    "text",
    [
        '"""Text\nat the margin # no comment\n"""\nx = 1\n',
        "@first\n@second(\n    1,\n)\ndef f():\n    pass\nif f:\n    x = 1\nelse:\n    x = 2\ny = 3\n",
        "x = [\n1,\n2,\n]\ny = 1 + \\\n2\n",
        "a = '#'; b = '\\''  # \"\"\"\nc = 1\n# end\n",
        "try:\n    x = 1\nexcept E:\n    x = 2\nfinally:\n    y = 3\n",
    ],
)
def test_parts_are_the_same_with_and_without_a_concrete_tree(text: str) -> None:
    with_tree = SourceFile("k.py", text)
    assert not with_tree.concrete.root_node.has_error
    assert SourceFile("k.py", text).parts == with_tree.parts


def _functions(text: str) -> list[str]:
    return [node.name for node in SourceFile("k.py", text).module.body if isinstance(node, ast.FunctionDef)]


def test_definitions_around_a_broken_one_survive() -> None:
    broken = "def broken():\n    x = call(1,\n    y = 2\n    return y\n\n"
    text = "def before():\n    return 1\n\n" + broken + "@jit\ndef after():\n    pass\n"
    assert _functions(text) == ["before", "broken", "after"]
    body = SourceFile("k.py", text).module.body[1].body  # type: ignore[attr-defined]
    assert [type(statement).__name__ for statement in body] == ["ErrorStatement", "Assign", "Return"]


def test_a_broken_statement_keeps_its_place_its_names_and_its_reason() -> None:
    file = SourceFile("k.py", "def f(a):\n    é = a +\n    return é\n")
    function = file.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    broken = function.body[0]
    assert isinstance(broken, ErrorStatement)
    assert (broken.lineno, broken.col_offset, broken.end_lineno, broken.end_col_offset) == (2, 4, 2, 12)
    assert [target.id for target in broken.targets] == ["é"]
    assert [(p.line, p.column, p.reason) for p in file.problems] == [(2, 11, "invalid syntax")]


def test_the_body_below_a_broken_header_is_kept() -> None:
    file = SourceFile("k.py", "def f(a):\n    for i in range(:\n        x = a\n    return x\n")
    loop = file.module.body[0].body[0]  # type: ignore[attr-defined]
    assert isinstance(loop, ErrorStatement)
    assert [type(statement) for statement in loop.body] == [ast.Assign]
    assert [target.id for target in loop.targets] == ["i"]


def test_a_header_without_a_body_is_one_problem() -> None:
    file = SourceFile("k.py", "def f(a):\n    if a:\n    return a\n")
    assert [problem.reason for problem in file.problems] == [
        "expected an indented block after 'if' statement on line 2"
    ]
    function = file.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert [type(statement) for statement in function.body][-1] is ast.Return


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "x = " + "-" * 50_000 + "1",
        "a" + ".b" * 100_000,
        "x = [" + "1, " * 300_000 + "]",
        "x\0 = 1\ny = 2\n",
    ]
    + [
        "\n".join(" " * i + "if x:" for i in range(2_000)),
        "def f(\n" * 3_000,
        "1+" * 100_000 + "1",
        '"""' * 9_999,
        "é" * 3_000_000,
    ],
    ids=["parentheses", "signs", "attributes", "list", "null", "indents", "headers", "sums", "quotes", "too long"],
)
def test_extreme_text_is_bounded(text: str) -> None:
    file = SourceFile("k.py", text)
    assert len(file.module.body) <= len(text)
    assert all(problem.line <= file.text.line_count for problem in file.problems)


def test_typing_in_one_definition_leaves_the_others_as_they_were() -> None:
    text = "def a():\n    return 1\n\ndef b():\n    return 2\n"
    before = SourceFile("k.py", text)
    at = text.index("1")
    after = before.edited([TextEdit(at, at, "\n        + 1")], 2)
    assert before.parts[1].lowered is after.parts[1].lowered
    assert (before.parts[1].line, after.parts[1].line) == (4, 5)


def test_type_parameters_are_read_by_every_python() -> None:
    file = SourceFile("k.py", "type Pair[T] = tuple[T, T]\nclass A[T]:\n    def f[U: int](self, x: U) -> T: return x\n")
    assert file.problems == ()
    assert [type(statement).__name__ for statement in file.module.body][1] == "ClassDef"
    returned = file.module.body[1].body[0].returns  # type: ignore[attr-defined]
    assert (returned.id, returned.lineno, returned.col_offset) == ("T", 3, 33)


def test_a_null_byte_is_a_problem_where_it_stands() -> None:
    problem = SourceFile("k.py", "x = 1\ny = 'é\0'\n").problems[0]
    assert (problem.line, problem.column) == (2, 7)


def test_a_comment_is_no_code() -> None:
    before = SourceFile("k.py", "def a():\n    return '#'  # one\n")
    after = SourceFile("k.py", "def a():\n    return '#'  # two\n    # three\n")
    assert before.parts[0].lowered is after.parts[0].lowered
