"""`docs/rules.md` lists every rule. `BLESS=1 pytest tests/docs` rewrites it."""

from __future__ import annotations

import os
from pathlib import Path

from ptoscope_compiler.diagnostics import catalogue

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def index() -> str:
    lines = [
        "# Rules",
        "",
        "PT1xx alignment, PT2xx capacity, PT3xx shapes, PT4xx types and layouts, PT5xx synchronisation,",
        "PT6xx language, PT9xx limits of the engine.",
    ]
    for rule in sorted(catalogue.rules().values(), key=lambda rule: rule.code):
        official = f" Official codes: {', '.join(rule.official)}." if rule.official else ""
        lines += [
            "",
            f"## {rule.code} {rule.name}",
            "",
            f"*{rule.severity.value}.*{official}",
            "",
            f"> {rule.message}",
            f"> {rule.message_zh}",
            "",
            f"{rule.remedy} {rule.remedy_zh}",
        ]
    return "\n".join(lines) + "\n"


def test_the_page_lists_every_rule() -> None:
    if os.environ.get("BLESS") == "1":
        PAGE.write_text(index(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == index()
