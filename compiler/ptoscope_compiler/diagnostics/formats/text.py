"""Findings as plain text: the message, the line with a caret under the range, the facts and the remedy."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from ...origin import Span
from ..diagnostic import Diagnostic, Related
from ..words import facts_text, severity_word, word
from .sources import Sources

_TAB = 4
_WIDEST_EXCERPT = 160


def render(diagnostic: Diagnostic, sources: Sources, language: str = "en") -> str:
    """Several lines, the last one without its end."""
    width = max(len(str(span.line)) for span in (diagnostic.span, *(related.span for related in diagnostic.related)))
    margin = " " * width
    lines = [
        f"{severity_word(diagnostic.severity, language)}[{diagnostic.code}]: {diagnostic.message(language)}",
        *_excerpt(diagnostic.span, width, sources),
    ]
    facts = facts_text(diagnostic.facts, language)
    if facts:
        lines.append(f"{margin} = {word('facts', language)}: {facts}")
    for related in diagnostic.related:
        lines.append(f"{margin} = {_related_message(related, language)}")
        lines.extend(_excerpt(related.span, width, sources))
    caller = diagnostic.origin.caller
    while caller is not None:
        lines.append(f"{margin} = {word('inlined', language)} {_place(caller.span, sources)}")
        caller = caller.caller
    remedy = diagnostic.remedy(language)
    if remedy:
        lines.append(f"{margin} = {word('help', language)}: {remedy}")
    return "\n".join(lines)


def _related_message(related: Related, language: str) -> str:
    return related.message_zh if language == "zh" else related.message


def _place(span: Span, sources: Sources) -> str:
    line, column, _, _ = sources.region(span)
    return f"{sources.name(span.file)}:{line}:{column}"


def _excerpt(span: Span, width: int, sources: Sources) -> Iterator[str]:
    """The place and its line, with the line number in `width` columns."""
    margin = " " * width
    yield f"{margin}--> {_place(span, sources)}"
    text = sources.text(span.file)
    content = text.line(span.line) if text is not None else ""
    if not content.strip():
        return
    line, start, end_line, end = sources.region(span)
    start -= 1
    last = end - 1 if end_line == line else len(content.rstrip())
    if _width(content) > _WIDEST_EXCERPT:
        content, start, last = _cut(content, start, last)
    before, marked = content[:start], content[start : max(last, start + 1)]
    yield f"{margin} |"
    yield f"{line:>{width}} | {content.expandtabs(_TAB)}"
    yield f"{margin} | {' ' * _width(before)}{'^' * max(_width(before + marked) - _width(before), 1)}"


def _cut(content: str, start: int, last: int) -> tuple[str, int, int]:
    """A window of a long line around the start of its range."""
    first = max(start - _WIDEST_EXCERPT // 3, 0)
    window = content[first : first + _WIDEST_EXCERPT]
    return window, start - first, min(last - first, len(window))


def _width(text: str) -> int:
    """Columns on a terminal."""
    expanded = text.expandtabs(_TAB)
    wide = sum(1 for character in expanded if unicodedata.east_asian_width(character) in "WF")
    combining = sum(1 for character in expanded if unicodedata.combining(character))
    return len(expanded) + wide - combining
