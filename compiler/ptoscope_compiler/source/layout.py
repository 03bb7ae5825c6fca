"""The lines of a text as its author laid them out, for text that no grammar accepts.

Brackets, strings and comments are matched as Python does. Where a bracket is never closed, the layout decides: the
statement ends in front of the next line that is indented no deeper and looks like a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<comment> \#[^\r\n]* )
    | (?P<string> \"\"\"(?:[^\\]|\\.)*?\"\"\" | '''(?:[^\\]|\\.)*?'''
                | "(?:[^"\\\r\n]|\\(?:\r\n|.))*" | '(?:[^'\\\r\n]|\\(?:\r\n|.))*' )
    | (?P<open> [(\[{] ) | (?P<close> [)\]}] )
    | (?P<joined> \\(?:\r\n|\r|\n) )
    | (?P<newline> \r\n|\r|\n )
    """,
    re.VERBOSE | re.DOTALL,
)
_KEYWORD_START = (
    r"(?:def|class|if|elif|else|for|while|with|try|except|finally|return|raise|import|from|pass|break|continue|assert"
    r"|del|global|nonlocal|async)\b"
)
_HEADER_START = re.compile(r"(?:async|def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b")
_STATEMENT_START = re.compile(rf"{_KEYWORD_START}|@|[A-Za-z_][\w.]*(?:\[[^\]\r\n]*\])?\s*(?:=(?!=)|[-+*/%@&|^]=|\()")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_MARGIN = re.compile(
    r"""
    \n (?P<start> (?=[^\s\#)\]}\\]) )
    | \#[^\n]*
    | \"\"\"(?:[^\\]|\\.)*?\"\"\" | '''(?:[^\\]|\\.)*?''' | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    """,
    re.VERBOSE | re.DOTALL,
)
_CLAUSE = re.compile(r"(?:elif|else|except|finally)\b")
_DECORATED = re.compile(r"(?:async\s+)?(?:def|class)\b")
_LENIENT_LIMIT = 16
"""After so many unclosed brackets the search for their ends, each up to the end of the text, is given up."""


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """One statement, or the header of one: character offsets `start` (behind the indentation) and `end`."""

    start: int
    end: int
    indent: int
    text: str

    @property
    def is_header(self) -> bool:
        return self.text.endswith(":")


@dataclass(frozen=True, slots=True)
class Clause:
    """A header, decorators included, and the lines below it that are indented deeper."""

    header: tuple[LogicalLine, ...]
    body: tuple[LogicalLine, ...]


def without_comments(text: str) -> str:
    """The text with its comments, and the blanks in front of them, taken out."""
    if "#" not in text:
        return text
    pieces: list[str] = []
    position = 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "comment":
            pieces.append(text[position : token.start()].rstrip(" \t"))
            position = token.end()
    return "".join([*pieces, text[position:]])


def statement_lines(text: str) -> list[int]:
    """Lines on which the statements of a module start, if nothing else starts at the margin of its lines."""
    lines: list[int] = []
    below = "\n" + text
    line, counted = 0, 0
    decorated = False
    for token in _MARGIN.finditer(below):
        start = token.end()
        if token.lastgroup is None or _CLAUSE.match(below, start):
            continue
        line, counted = line + below.count("\n", counted, start), start
        if not decorated:
            lines.append(line)
        decorated = below[start] == "@"
    return lines


def logical_lines(text: str) -> list[LogicalLine]:
    """All lines that hold code."""
    return _Scanner(text).scan()


def statement_groups(lines: Sequence[LogicalLine]) -> Iterator[list[Clause]]:
    """The clauses of each statement in turn: a definition with its decorators, an `if` with its `else`."""
    index = 0
    clauses: list[Clause] = []
    while index < len(lines):
        line = lines[index]
        start, header_end = index, _header_end(lines, index)
        index = header_end
        while index < len(lines) and lines[index].indent > line.indent:
            index += 1
        if clauses and not (_CLAUSE.match(line.text) and clauses[0].header[0].indent == line.indent):
            yield clauses
            clauses = []
        clauses.append(Clause(tuple(lines[start:header_end]), tuple(lines[header_end:index])))
    if clauses:
        yield clauses


def _header_end(lines: Sequence[LogicalLine], index: int) -> int:
    """Behind the header that starts at `index`: behind the definition where that is a decorator."""
    start = index
    while index < len(lines) and lines[index].text.startswith("@") and lines[index].indent == lines[start].indent:
        index += 1
    decorates = (
        index < len(lines) and lines[index].indent == lines[start].indent and _DECORATED.match(lines[index].text)
    )
    return index + 1 if decorates or index == start else index


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [(m.lastgroup, m.start(), m.end()) for m in _TOKEN.finditer(text)]
        self.lenient = 0

    def scan(self) -> list[LogicalLine]:
        lines: list[LogicalLine] = []
        index = start = 0
        while start < len(self.text):
            first = _code_start(self.text, start)
            indent = len(self.text[start:first].expandtabs().lstrip("\f"))
            index, end, following = self.line_end(index, first, indent)
            content = self.text[first : self._comment_start(index, end)].rstrip()
            if content:
                lines.append(LogicalLine(first, first + len(content), indent, content))
            start = following
        return lines

    def line_end(self, index: int, first: int, indent: int) -> tuple[int, int, int]:
        """Token index behind the logical line that starts at `first`, its end, and where the next line starts."""
        strict = self._matched_end(index)
        if strict is not None:
            return strict
        self.lenient += 1
        return self._laid_out_end(index, first, indent)

    def _comment_start(self, index: int, end: int) -> int:
        """Where the comment starts that ends the line in front of token `index`; `end` where there is none."""
        for kind, start, stop in reversed(self.tokens[max(index - 2, 0) : index]):
            if kind == "comment" and stop == end:
                return start
        return end

    def _matched_end(self, index: int) -> tuple[int, int, int] | None:
        """The end by matching brackets; None where they do not match."""
        if self.lenient > _LENIENT_LIMIT:
            return None
        open_brackets: list[str] = []
        for position in range(index, len(self.tokens)):
            kind, start, end = self.tokens[position]
            if kind == "open":
                open_brackets.append(_PAIRS[self.text[start]])
            elif kind == "close":
                if not open_brackets or open_brackets.pop() != self.text[start]:
                    return None
            elif kind == "newline" and not open_brackets:
                return position + 1, start, end
        return None if open_brackets else (len(self.tokens), len(self.text), len(self.text))

    def _laid_out_end(self, index: int, first: int, indent: int) -> tuple[int, int, int]:
        """The end by layout, where brackets are left open or closed too often."""
        depth = 0
        is_header = _HEADER_START.match(self.text, first) is not None
        for position in range(index, len(self.tokens)):
            kind, start, end = self.tokens[position]
            if kind == "open":
                depth += 1
            elif kind == "close":
                depth = max(depth - 1, 0)
            elif kind == "newline":
                opens_block = is_header and self.text[first:start].rstrip().endswith(":")
                if depth == 0 or opens_block or self._starts_statement(end, indent):
                    return position + 1, start, end
        return len(self.tokens), len(self.text), len(self.text)

    def _starts_statement(self, line_start: int, indent: int) -> bool:
        first = _code_start(self.text, line_start)
        width = len(self.text[line_start:first].expandtabs())
        return width <= indent and _STATEMENT_START.match(self.text, first) is not None


def _code_start(text: str, line_start: int) -> int:
    while line_start < len(text) and text[line_start] in " \t\f":
        line_start += 1
    return line_start
