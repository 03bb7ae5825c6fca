"""Comments that silence a finding."""

from __future__ import annotations

import pytest
from ptoscope_compiler.diagnostics.diagnostic import Rule, Severity
from ptoscope_compiler.diagnostics.suppression import is_suppressed
from ptoscope_compiler.origin import Origin, Span
from ptoscope_compiler.source.text import Text

RULE = Rule("PT101", "rule", Severity.ERROR, "m", "m", "", "")


@pytest.mark.parametrize(
    ("line", "silent"),
    [
        ("x = 1", False),
        ("x = 1  # ptoscope: ignore", True),
        ("x = 1  # ptoscope: ignore[PT101]", True),
        ("x = 1  # noqa  # ptoscope:ignore[PT300, PT101]", True),
        ("x = 1  # ptoscope: ignore[PT300]", False),
        ("x = 1  # ptoscope: ignore[]", False),
    ],
)
def test_the_comment_of_the_line_decides(line: str, silent: bool) -> None:
    finding = RULE.at(Origin(Span("k.py", 2, 0, 2, 5)))
    assert is_suppressed(finding, Text(f"# ptoscope: ignore\n{line}\n")) is silent


def test_the_last_line_of_a_statement_may_carry_it() -> None:
    finding = RULE.at(Origin(Span("k.py", 1, 0, 2, 1)))
    assert is_suppressed(finding, Text("f(\n)  # ptoscope: ignore[PT101]\n"))
