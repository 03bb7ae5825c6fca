"""A module as its top-level statements, each with places of its own.

A part's lines count from its own first line, so that typing above a definition leaves it as it was; parts of equal
code share one tree. Comments are no code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .layout import logical_lines, statement_groups, without_comments
from .nodes import SyntaxProblem
from .parser import ParseFailure, parse, without_type_parameters
from .recover import recover
from .text import Text

_CACHED_PARTS = 1024


@dataclass(frozen=True, slots=True)
class Lowered:
    """Statements of a piece of code. Shared: nobody writes to the nodes."""

    statements: tuple[ast.stmt, ...]
    problems: tuple[SyntaxProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One or more top-level statements that start on line `line` of the file. `code` is their text without comments.

    `lowered` counts lines from the first line of the part.
    """

    line: int
    code: str

    @property
    def lowered(self) -> Lowered:
        return lower(self.code, 1)

    @property
    def label(self) -> str:
        """What the part is known by while it is edited: the name that it defines, else its code."""
        for statement in self.lowered.statements:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                return statement.name
        return self.code

    def rows(self, first: int, last: int) -> str:
        """Its code on lines `first` to `last` of the file."""
        return "\n".join(self.code.split("\n")[first - self.line : last - self.line + 1])


@lru_cache(maxsize=_CACHED_PARTS)
def lower(code: str, line: int) -> Lowered:
    """Nodes of whole lines of code of which the first is line `line`."""
    for spelling in dict.fromkeys((code, without_type_parameters(code))):
        try:
            return Lowered(tuple(parse(spelling, line)))
        except ParseFailure:
            continue
    recovered = recover(code, line)
    return Lowered(tuple(recovered.statements), tuple(recovered.problems))


def cut(content: str, lines: list[int] | None) -> tuple[Part, ...]:
    """The parts of a text; `lines` are the lines on which its statements start, where they are known."""
    if lines is None:
        return tuple(_parts_by_layout(content))
    rows = content.split("\n")
    ends = [*lines[1:], len(rows) + 1][: len(lines)]
    return tuple(
        Part(start, _code("\n".join(rows[start - 1 : end - 1]))) for start, end in zip(lines, ends, strict=True)
    )


def _parts_by_layout(content: str) -> Iterator[Part]:
    text = Text(content)
    for clauses in statement_groups(logical_lines(content)):
        last = clauses[-1].body[-1] if clauses[-1].body else clauses[-1].header[-1]
        line = text.place(clauses[0].header[0].start)[0]
        yield Part(line, _code(content[text.starts[line - 1] : last.end]))


@lru_cache(maxsize=_CACHED_PARTS)
def _code(piece: str) -> str:
    return without_comments(piece).rstrip() + "\n"
