"""The texts that findings point into, and how their files are named to the reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...origin import Span
from ...source.text import Text


@dataclass(frozen=True)
class Sources:
    """`text` gives the text of a file, None where it has none; `name` is what the reader calls the file."""

    text: Callable[[str], Text | None]
    name: Callable[[str], str] = str

    def region(self, span: Span) -> tuple[int, int, int, int]:
        """Line, column, end line and end column: all from 1, columns in characters, the end exclusive."""
        text = self.text(span.file)
        if text is None:
            return span.line, span.column + 1, span.end_line, span.end_column + 1
        start = text.character_column(span.line, span.column)
        end = text.character_column(span.end_line, span.end_column)
        return span.line, start + 1, span.end_line, end + 1
