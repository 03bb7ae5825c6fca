"""Lines and columns of a text, in the three units that its readers count in.

Lines are those of Python: "\\n", "\\r\\n" and a lone "\\r" end one. Line numbers count from 1, columns from 0. A column
counts UTF-8 bytes (`ast`, `Span`), UTF-16 code units (editors) or characters (`str`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")


class Text:
    """An immutable text and the index of its lines."""

    def __init__(self, content: str) -> None:
        self.content = content

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.content == other.content

    def __hash__(self) -> int:
        return hash(self.content)

    @cached_property
    def encoded(self) -> bytes:
        """The text in UTF-8; a lone surrogate, which no UTF-8 has, becomes "?"."""
        return self.content.encode("utf-8", "replace")

    @cached_property
    def starts(self) -> list[int]:
        """Character offset at which each line starts."""
        starts = [match.start() for match in _LINE.finditer(self.content) if match.group()]
        if not starts or self.content.endswith(("\n", "\r")):
            starts.append(len(self.content))
        return starts

    @property
    def line_count(self) -> int:
        return len(self.starts)

    def line(self, number: int) -> str:
        """Line `number` without its end; empty for a line that the text does not have."""
        if not 1 <= number <= self.line_count:
            return ""
        end = self.starts[number] if number < self.line_count else len(self.content)
        return self.content[self.starts[number - 1] : end].rstrip("\r\n")

    def offset(self, line: int, characters: int) -> int:
        """Character offset of a place; a place outside the text becomes the nearest one inside."""
        if line < 1:
            return 0
        if line > self.line_count:
            return len(self.content)
        return self.starts[line - 1] + min(max(characters, 0), len(self.line(line)))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column in characters of a character offset."""
        offset = min(max(offset, 0), len(self.content))
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1]

    def utf8_column(self, line: int, characters: int) -> int:
        """Bytes in front of a character column."""
        return len(self.line(line)[: max(characters, 0)].encode("utf-8", "replace"))

    def character_column(self, line: int, utf8: int) -> int:
        """Characters in front of a byte column; inside a character, those before that character."""
        content = self.line(line)
        if content.isascii():
            return min(max(utf8, 0), len(content))
        return len(content.encode("utf-8", "replace")[: max(utf8, 0)].decode("utf-8", "ignore"))

    def utf16_column(self, line: int, utf8: int) -> int:
        """UTF-16 code units in front of a byte column."""
        return _utf16_length(self.line(line)[: self.character_column(line, utf8)])

    def utf8_from_utf16(self, line: int, utf16: int) -> int:
        """Bytes in front of a UTF-16 column; inside a surrogate pair, those before the pair."""
        return self.utf8_column(line, self.characters_from_utf16(line, utf16))

    def characters_from_utf16(self, line: int, utf16: int) -> int:
        """Characters in front of a UTF-16 column."""
        content = self.line(line)
        if content.isascii():
            return min(max(utf16, 0), len(content))
        units = 0
        for index, character in enumerate(content):
            units += 2 if ord(character) > 0xFFFF else 1
            if units > utf16:
                return index
        return len(content)


def _utf16_length(text: str) -> int:
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)
