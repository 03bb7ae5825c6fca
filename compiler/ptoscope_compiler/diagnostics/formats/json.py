"""Findings as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...origin import Span
from ..diagnostic import Diagnostic
from .sources import Sources

SCHEMA = 1


def render_all(diagnostics: Sequence[Diagnostic], sources: Sources, language: str = "en") -> str:
    """One object: `schema` and `findings`. Lines and columns count from 1, columns in characters, ends exclusive."""
    document = {"schema": SCHEMA, "findings": [as_object(finding, sources, language) for finding in diagnostics]}
    return json.dumps(document, ensure_ascii=False, indent=2)


def as_object(diagnostic: Diagnostic, sources: Sources, language: str) -> dict[str, Any]:
    facts = diagnostic.facts
    return {
        "code": diagnostic.code,
        "name": diagnostic.rule.name,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message(language),
        "remedy": diagnostic.remedy(language),
        **place(diagnostic.span, sources),
        "facts": {
            "operation": facts.operation,
            "buffer": facts.buffer,
            "elements": facts.elements,
            "bytes": facts.bytes,
            "limit": facts.limit,
        },
        "related": [
            {"message": related.message_zh if language == "zh" else related.message, **place(related.span, sources)}
            for related in diagnostic.related
        ],
        "called_from": [place(origin.span, sources) for origin in diagnostic.origin.chain()][1:],
        "fixes": [
            {
                "title": fix.title_zh if language == "zh" else fix.title,
                "edits": [{**place(edit.span, sources), "text": edit.text} for edit in fix.edits],
            }
            for fix in diagnostic.fixes
        ],
        "official": list(diagnostic.rule.official),
    }


def place(span: Span, sources: Sources) -> dict[str, Any]:
    line, column, end_line, end_column = sources.region(span)
    return {
        "file": sources.name(span.file),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }
