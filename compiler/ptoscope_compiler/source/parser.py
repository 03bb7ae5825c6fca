"""Python's own parser, on a piece of a text, with the places of the whole text."""

from __future__ import annotations

import ast
import re
import warnings

from .nodes import SyntaxProblem
from .text import Text

_WRAPPER = "if 1:\n"


_TYPE_PARAMETERS = re.compile(r"^([ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+)(\[[^\]\n]*\])", re.MULTILINE)
_TYPE_ALIAS = re.compile(r"^([ \t]*)(type[ \t]+)(\w+)(\[[^\]\n]*\])?(?=[ \t]*=)", re.MULTILINE)


class ParseFailure(Exception):
    """The piece is not Python."""

    def __init__(self, problem: SyntaxProblem) -> None:
        super().__init__(problem.reason)
        self.problem = problem


def parse(piece: str, line: int = 1) -> list[ast.stmt]:
    """Statements of `piece`, whole lines of which the first is line `line` of the text and may be indented.

    Raises ParseFailure with the place in the text. Nodes hold lines and columns of the text.
    """
    margin = piece[: len(piece) - len(piece.lstrip(" \t\f"))]
    indented = bool(margin.rpartition("\f")[2]) and not piece.isspace()  # a form feed starts the margin again
    above = line - 1
    if indented and above == 0:
        raise ParseFailure(_whole(piece, line, "unexpected indent"))
    prefix = "\n" * (above - 1) + _WRAPPER if indented else "\n" * above
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(prefix + piece)
    except SyntaxError as error:
        raise ParseFailure(_problem_of(error, piece, line)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParseFailure(_whole(piece, line, str(error) or "too deeply nested")) from None
    if indented:
        wrapper = module.body[0]
        assert isinstance(wrapper, ast.If)
        if len(module.body) > 1 or wrapper.orelse:
            raise ParseFailure(_whole(piece, line, "unindent does not match any outer indentation level"))
        return wrapper.body
    return module.body


def without_type_parameters(code: str) -> str:
    """The code as Pythons before 3.12 read it (PEP 695): type parameters blanked, `type X = ...` as an assignment."""
    code = _TYPE_PARAMETERS.sub(lambda match: match[1] + " " * len(match[2]), code)
    return _TYPE_ALIAS.sub(lambda match: match[1] + match[3] + " " * (len(match[2]) + len(match[4] or "")), code)


def _whole(piece: str, line: int, reason: str) -> SyntaxProblem:
    """A problem of the piece that has no place of its own."""
    text = Text(piece)
    null = piece.find("\0")
    if null >= 0:
        first, start = text.place(null)
        column = text.utf8_column(first, start)
        return SyntaxProblem(line + first - 1, column, line + first - 1, column + 1, reason)
    first = next((n for n in range(1, text.line_count + 1) if text.line(n).strip()), 1)
    content = text.line(first)
    start = len(content) - len(content.lstrip())
    place = line + first - 1
    return SyntaxProblem(place, start, place, max(text.utf8_column(first, len(content)), start + 1), reason)


def _problem_of(error: SyntaxError, piece: str, line: int) -> SyntaxProblem:
    """CPython counts lines of the text from 1 and columns in characters from 1; either may be missing."""
    text = Text(piece)
    last = text.line_count
    reason = error.msg or "invalid syntax"
    if error.lineno is None or error.lineno < line:
        return _whole(piece, line, reason)
    first = min(error.lineno - line + 1, last)
    start = min(max((error.offset or 1) - 1, 0), len(text.line(first)))
    end_line = min((error.end_lineno or 0) - line + 1, last)
    end = (error.end_offset or 0) - 1
    if end_line < first or (end_line == first and end <= start):
        end_line, end = first, _token_end(text.line(first), start)
    if start >= len(text.line(first)):
        start = max(len(text.line(first).rstrip()) - 1, 0)
    return SyntaxProblem(
        first + line - 1,
        text.utf8_column(first, start),
        end_line + line - 1,
        max(text.utf8_column(end_line, end), text.utf8_column(first, start) + 1 if end_line == first else 0),
        reason,
    )


def _token_end(content: str, start: int) -> int:
    end = start
    while end < len(content) and (content[end].isalnum() or content[end] == "_"):
        end += 1
    return max(end, min(start + 1, len(content)))
