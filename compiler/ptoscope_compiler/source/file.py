"""One version of one source file."""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tree_sitter import Tree

from .concrete import TextEdit, apply_edits, parse_concrete, top_level_lines
from .layout import statement_lines
from .nodes import SyntaxProblem
from .parser import ParseFailure, parse
from .parts import Part, cut, lower
from .text import Text

SIZE_LIMIT = 2 << 20
"""Characters; a longer file is data, not a kernel, and is not looked into."""


class UnreadableSource(Exception):
    """The file cannot be read as the text of a Python program."""


class SourceFile:
    """The text of `path` at `version`, and what can be said of it by itself. Immutable."""

    def __init__(self, path: str, content: str, version: int = 0) -> None:
        self.path = path
        self.text = Text(content)
        self.version = version
        self._concrete: Tree | None = None

    def __eq__(self, other: object) -> bool:
        """Equal text of the same file is the same, whatever its version."""
        return isinstance(other, SourceFile) and (self.path, self.text) == (other.path, other.text)

    def __hash__(self) -> int:
        return hash((self.path, self.text))

    @classmethod
    def read(cls, path: str) -> SourceFile:
        """The file on disk, in the encoding that it declares. Raises UnreadableSource."""
        try:
            return cls(path, decode(Path(path).read_bytes()))
        except OSError as error:
            raise UnreadableSource(error.strerror or str(error)) from None

    def edited(self, edits: Sequence[TextEdit], version: int) -> SourceFile:
        """The next version; its concrete tree is re-parsed around the edits only."""
        text, tree = apply_edits(self.text, self._concrete, edits)
        after = SourceFile(self.path, text.content, version)
        after._concrete = tree
        return after

    @property
    def concrete(self) -> Tree:
        """The tree-sitter tree."""
        if self._concrete is None:
            self._concrete = parse_concrete(self.text)
        return self._concrete

    @property
    def is_too_long(self) -> bool:
        return len(self.text.content) > SIZE_LIMIT

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The top-level statements, in order. None of a file that is too long."""
        content = self.text.content
        if self.is_too_long or not content.strip():
            return ()
        if self._concrete is None and "\r" not in content and "\f" not in content:
            parts = cut(content, statement_lines(content))
            if not any(part.lowered.problems for part in parts):
                return parts
        parts = cut(content, top_level_lines(self.concrete, self.text))
        if any(part.lowered.problems for part in parts) and _is_python(content):
            return (Part(1, content),)
        return parts

    def part_at(self, line: int) -> Part:
        """The last part that starts on or above `line`. The file has parts."""
        return self.parts[max(bisect_right(self.parts, line, key=lambda part: part.line) - 1, 0)]

    @cached_property
    def module(self) -> ast.Module:
        """The nodes of the file, with its lines: those of `ast.parse` where that accepts the text."""
        statements = [statement for part in self.parts for statement in lower(part.code, part.line).statements]
        return ast.Module(body=statements, type_ignores=[])

    @cached_property
    def problems(self) -> tuple[SyntaxProblem, ...]:
        """Every place that is not Python."""
        return tuple(problem.moved(part.line - 1) for part in self.parts for problem in part.lowered.problems)


def decode(content: bytes) -> str:
    """The text of a Python file. Raises UnreadableSource where it is not text."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise UnreadableSource(f"not text: {error}") from None


def _is_python(content: str) -> bool:
    """Whether the whole is accepted although its parts were not: the parts were cut wrongly."""
    try:
        parse(content)
    except ParseFailure:
        return False
    return True
