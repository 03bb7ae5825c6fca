"""Findings as workflow commands of GitHub Actions, which show them beside the changed lines.

Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from ..diagnostic import Diagnostic, Severity
from .sources import Sources

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def render(diagnostic: Diagnostic, sources: Sources, language: str = "en") -> str:
    """One line. Columns are given only where the range is within one line, as the format asks."""
    line, column, end_line, end_column = sources.region(diagnostic.span)
    properties = {"file": sources.name(diagnostic.span.file), "line": str(line), "endLine": str(end_line)}
    if line == end_line:
        properties |= {"col": str(column), "endColumn": str(end_column)}
    properties["title"] = f"{diagnostic.code} {diagnostic.rule.name}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = "\n".join(text for text in (diagnostic.message(language), diagnostic.remedy(language)) if text)
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
