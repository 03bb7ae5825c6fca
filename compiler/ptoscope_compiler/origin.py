"""Where a thing came from: a range in a file, and the chain of inlined calls above it.

Lines count from 1 and columns from 0, in UTF-8 bytes, as in `ast`; adapters convert at their edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A range of source text: `line` from 1, `column` in UTF-8 bytes from 0, the end exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"


@dataclass(frozen=True, slots=True)
class Origin:
    """A span within a function, and the call that inlined that function (`caller`), up to the kernel's own body."""

    span: Span
    function: str = ""
    caller: Origin | None = None

    def chain(self) -> Iterator[Origin]:
        """From the innermost place outwards."""
        place: Origin | None = self
        while place is not None:
            yield place
            place = place.caller

    def __str__(self) -> str:
        return " < ".join(str(place.span) for place in self.chain())
