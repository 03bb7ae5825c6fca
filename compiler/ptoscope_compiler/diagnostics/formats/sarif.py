"""Findings as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ...origin import Span
from ..diagnostic import Diagnostic, Fix, Rule, Severity
from .sources import Sources

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def render_all(diagnostics: Sequence[Diagnostic], sources: Sources, language: str = "en", version: str = "") -> str:
    """One log with one run."""
    rules = sorted({finding.rule.code: finding.rule for finding in diagnostics}.items())
    index = {code: position for position, (code, _) in enumerate(rules)}
    driver: dict[str, Any] = {"name": "ptoscope", "rules": [_rule(rule, language) for _, rule in rules]}
    if version:
        driver["version"] = version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, index[finding.code], sources, language) for finding in diagnostics],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _rule(rule: Rule, language: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.message_zh if language == "zh" else rule.message},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }
    remedy = rule.remedy_zh if language == "zh" else rule.remedy
    if remedy:
        described["help"] = {"text": remedy}
    return described


def _result(diagnostic: Diagnostic, index: int, sources: Sources, language: str) -> dict[str, Any]:
    remedy = diagnostic.remedy(language)
    text = diagnostic.message(language)
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": f"{text}\n{remedy}" if remedy else text},
        "locations": [_location(diagnostic.span, sources)],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {
                **_location(related.span, sources),
                "id": number,
                "message": {"text": related.message_zh if language == "zh" else related.message},
            }
            for number, related in enumerate(diagnostic.related)
        ]
    if diagnostic.fixes:
        result["fixes"] = [_fix(fix, sources, language) for fix in diagnostic.fixes]
    return result


def _fix(fix: Fix, sources: Sources, language: str) -> dict[str, Any]:
    changes = [
        {
            "artifactLocation": {"uri": _uri(edit.span, sources)},
            "replacements": [
                {"deletedRegion": _region(edit.span, sources), "insertedContent": {"text": edit.text}},
            ],
        }
        for edit in fix.edits
    ]
    return {"description": {"text": fix.title_zh if language == "zh" else fix.title}, "artifactChanges": changes}


def _location(span: Span, sources: Sources) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(span, sources)},
            "region": _region(span, sources),
        }
    }


def _uri(span: Span, sources: Sources) -> str:
    return quote(sources.name(span.file).replace("\\", "/"), safe="/:")


def _region(span: Span, sources: Sources) -> dict[str, int]:
    line, column, end_line, end_column = sources.region(span)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
