"""How findings look in each format. `BLESS=1 pytest tests/check` rewrites the expected texts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic, Edit, Facts, Fix, Related, Rule, Severity
from ptoscope_compiler.diagnostics.formats import github, json, sarif, text
from ptoscope_compiler.diagnostics.formats.sources import Sources
from ptoscope_compiler.origin import Origin, Span
from ptoscope_compiler.source.text import Text

EXPECTED = Path(__file__).parent / "expected"
SOURCE = Text(
    "import pypto\n"
    "def kernel(a, b, out):  # 核函数\n"
    "\tpypto.set_vec_tile_shapes(512, 512)\n"
    "    '瓦片'; out[:] = pypto.exp(a) + helper(b)  # 🙂\n"
    "    out[:] = pypto.call(\n"
    "        a,\n"
    "    )\n"
)
RULE = Rule(
    "PT299",
    "tile-too-large",
    Severity.ERROR,
    "{operation} needs {bytes:,} bytes: 100% more than there is",
    "{operation} 需要 {bytes:,} 字节：超出 100%",
    "Use {suggestion}.",
    "改为 {suggestion}。",
    ("F40005",),
)
HINT = Rule("PT998", "no-remedy", Severity.HINT, "something, somewhere: {what}", "某处：{what}", "", "")


def _span(line: int, column: int, end_line: int, end_column: int, file: str = "kernels/k.py") -> Span:
    return Span(file, line, column, end_line, end_column)


def _findings() -> list[Diagnostic]:
    caller = Origin(_span(4, 38, 4, 47), "kernel")
    full = RULE.at(
        Origin(_span(4, 23, 4, 35), "helper", caller),
        Facts("EXP", "a", 262_144, 1_048_576, 196_352),
        (Related(_span(3, 1, 3, 36), "the tile shape is set here", "此处设置 tile"),),
        (Fix("Use 64, 128", "改为 64, 128", (Edit(_span(3, 27, 3, 35), "64, 128"),)),),
        operation="exp",
        bytes=1_048_576,
        suggestion="64, 128",
    )
    multiline = HINT.at(Origin(_span(5, 13, 7, 5)), what="over\nlines")
    elsewhere = HINT.at(Origin(_span(3, 2, 3, 4, "absent.py")), severity=Severity.WARNING, what="no text")
    return [full, multiline, elsewhere]


SOURCES = Sources(lambda file: SOURCE if file.endswith("k.py") else None)
RENDERED = {
    "text.en.txt": lambda: "\n\n".join(text.render(finding, SOURCES) for finding in _findings()),
    "text.zh.txt": lambda: "\n\n".join(text.render(finding, SOURCES, "zh") for finding in _findings()),
    "findings.json": lambda: json.render_all(_findings(), SOURCES),
    "findings.sarif": lambda: sarif.render_all(_findings(), SOURCES, version="1.2.3"),
    "github.txt": lambda: "\n".join(github.render(finding, SOURCES) for finding in _findings()),
}


@pytest.mark.parametrize("name", RENDERED)
def test_findings_look_as_blessed(name: str) -> None:
    rendered = RENDERED[name]() + "\n"
    if os.environ.get("BLESS") == "1":
        (EXPECTED / name).write_text(rendered, encoding="utf-8")
    assert rendered == (EXPECTED / name).read_text(encoding="utf-8")


def test_a_very_long_line_is_cut_around_the_range() -> None:
    line = "x = " + "a + " * 1000 + "b"
    at = line.index("a + ", 2000)
    finding = HINT.at(Origin(Span("long.py", 1, at, 1, at + 1)), what="long")
    rendered = text.render(finding, Sources(lambda file: Text(line)))
    excerpt, carets = rendered.splitlines()[3:5]
    assert len(excerpt) < 200
    assert excerpt[carets.index("^")] == "a"
