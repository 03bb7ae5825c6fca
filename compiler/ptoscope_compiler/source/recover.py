"""What can be kept of a piece of text that is not Python: every statement that parses by itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .layout import Clause, LogicalLine, logical_lines, statement_groups
from .nodes import ErrorStatement, SyntaxProblem
from .parser import ParseFailure, parse
from .text import Text

_BINDINGS = re.compile(
    r"""
    ^(?P<targets>[\w \t,.*()\[\]]+?)[ \t]*(?::[^=\r\n]*)?(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)
    | \bfor[ \t]+(?P<loop>[\w \t,.*()]+?)[ \t]+in\b
    | \b(?:as|def|class|import)[ \t]+(?P<name>\w+)
    | (?P<walrus>\w+)[ \t]*:=
    """,
    re.VERBOSE | re.MULTILINE,
)
_TARGET = re.compile(r"(?<![\w.])[^\W\d]\w*")
_NAMES_WITHIN = 200
"""Characters of a line within which its targets stand."""
_DEPTH_LIMIT = 100
"""CPython accepts no deeper indentation."""
_READINGS = 16
"""How often the text may be read in search of what parses; this bounds the time on deeply nested broken text."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """Statements in order, broken ones as ErrorStatement, and every problem."""

    statements: list[ast.stmt]
    problems: list[SyntaxProblem]


def recover(piece: str, line: int = 1) -> Recovered:
    """The statements of `piece`, whose comments are taken out and whose first line is line `line` of the text."""
    recovery = _Recovery(piece, line)
    statements = recovery.block(tuple(logical_lines(piece)), 0)
    return Recovered(statements, recovery.problems)


class _Recovery:
    def __init__(self, piece: str, line: int) -> None:
        self.piece = piece
        self.text = Text(piece)
        self.line = line
        self.unread = _READINGS * len(piece)
        self.problems: list[SyntaxProblem] = []

    def block(self, lines: tuple[LogicalLine, ...], depth: int) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for clauses in statement_groups(lines):
            statements.extend(self._statement(clauses, depth))
        return statements

    def _statement(self, clauses: Sequence[Clause], depth: int) -> list[ast.stmt]:
        first, last = _ends(clauses)
        start = self.text.place(first.start)[0]
        whole = self._lines(start, self.text.place(last.end)[0])
        try:
            return parse(whole, start + self.line - 1)
        except ParseFailure as failure:
            known = len(self.problems)
            self.unread -= len(whole)
            if any(clause.body for clause in clauses) and depth < _DEPTH_LIMIT and self.unread > 0:
                compound = self._compound(clauses, failure, depth)
                if compound is not None:
                    if len(self.problems) == known:
                        self.problems.append(failure.problem)
                    return [compound]
            return [self._error(first, last, failure.problem)]

    def _compound(self, clauses: Sequence[Clause], failure: ParseFailure, depth: int) -> ast.stmt | None:
        """The statement with what its bodies keep; an ErrorStatement around its bodies where a header is broken."""
        first, last = _ends(clauses)
        start = self.text.place(first.start)[0]
        bodies = []
        try:
            skeleton = parse(self._skeleton(clauses), start + self.line - 1)[0]
        except ParseFailure as in_headers:
            problem = in_headers.problem if clauses[0].header[-1].is_header else failure.problem
            error = self._error(first, clauses[0].header[-1], problem)
            for clause in clauses:
                error.body.extend(self.block(clause.body, depth + 1))
            return error
        placeholders = list(_placeholders(skeleton))
        if len(placeholders) != len(clauses):
            return None
        for clause in clauses:
            bodies.append(self.block(clause.body, depth + 1))
        for placeholder, body in zip(placeholders, bodies, strict=True):
            placeholder[:] = body or placeholder
        _stretch(skeleton)
        return skeleton

    def _skeleton(self, clauses: Sequence[Clause]) -> str:
        """The headers in their places, each with `pass` for its body."""
        parts: list[str] = []
        line = self.text.place(clauses[0].header[0].start)[0]
        for clause in clauses:
            start = self.text.place(clause.header[0].start)[0]
            end = self.text.place(clause.header[-1].end)[0]
            parts.append("\n" * (start - line))
            parts.append(self._lines(start, end).rstrip() + " pass")
            line = end
        return "".join(parts) + "\n"

    def _lines(self, first: int, last: int) -> str:
        end = self.text.starts[last] if last < self.text.line_count else len(self.piece)
        return self.piece[self.text.starts[first - 1] : end]

    def _error(self, first: LogicalLine, last: LogicalLine, problem: SyntaxProblem) -> ErrorStatement:
        self.problems.append(problem)
        line, start = self.text.place(first.start)
        end_line, end = self.text.place(last.end)
        place = {
            "lineno": line + self.line - 1,
            "col_offset": self.text.utf8_column(line, start),
            "end_lineno": end_line + self.line - 1,
            "end_col_offset": self.text.utf8_column(end_line, end),
        }
        names = _bound_names(self.piece[first.start : last.end])
        error = ErrorStatement(**place)
        error.targets = [ast.Name(name, ast.Store(), **place) for name in names]
        error.body = []
        error.problem = problem
        return error


def _ends(clauses: Sequence[Clause]) -> tuple[LogicalLine, LogicalLine]:
    last = clauses[-1]
    return clauses[0].header[0], last.body[-1] if last.body else last.header[-1]


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The statement lists of a statement, in the order of the text."""
    for name in ("body", "handlers", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if block:
            yield block


def _placeholders(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists that stand for the bodies of the headers, in the order of the text."""
    for block in _blocks(node):
        if isinstance(block[0], ast.Pass):
            yield block
        for child in block:
            yield from _placeholders(child)


def _stretch(node: ast.stmt) -> None:
    """Let compound statements end where their last statement ends."""
    for block in _blocks(node):
        for child in block:
            _stretch(child)
        node.end_lineno, node.end_col_offset = block[-1].end_lineno, block[-1].end_col_offset


def _bound_names(text: str) -> tuple[str, ...]:
    lines = "\n".join(line.strip()[:_NAMES_WITHIN] for line in text.splitlines())
    targets = " ".join(match.group(match.lastgroup or 0) for match in _BINDINGS.finditer(lines))
    return tuple(dict.fromkeys(_TARGET.findall(targets)))
