"""The specification of shapes and rules: kernels in Markdown, with what holds at each line.

`# shape: (64, 1) DT_FP32` is the value assigned on that line, `# error: [PT301]` or `# warning: [PT101]` a finding
there. A kernel has no findings but those that are marked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from ptoscope_compiler.scalar import text
from tensor_kernels import trace

_BLOCK = re.compile(
    r"^## (?P<title>.+)\n(?:(?!#|```).*\n)*```python(?: (?P<target>\S+))?\n(?P<code>[\s\S]*?)^```", re.M
)
_SHAPE = re.compile(r"# shape: (\(.*?\) DT_\w+)")
_FINDING = re.compile(r"# (error|warning|hint): \[(PT\d+)\]")


@dataclass(frozen=True)
class Example:
    name: str
    code: str
    target: str


def _examples() -> list[Example]:
    found = []
    for file in sorted(Path(__file__).with_name("spec").glob("*.md")):
        for match in _BLOCK.finditer(file.read_text(encoding="utf-8")):
            target = match["target"] or "a2a3"
            found.append(Example(f"{file.stem}: {match['title']}", match["code"], target))
    return found


def _expected(code: str, pattern: re.Pattern[str]) -> dict[int, re.Match[str]]:
    lines = enumerate(code.splitlines(), start=2)
    return {number: match for number, line in lines if (match := pattern.search(line))}


@pytest.mark.parametrize("example", _examples(), ids=lambda example: example.name)
def test_holds(example: Example) -> None:
    result = trace(example.code, target=example.target)
    findings = {(found.span.line, found.severity.value, found.code) for found in result.diagnostics}
    expected = {(line, match[1], match[2]) for line, match in _expected(example.code, _FINDING).items()}
    assert findings == expected
    if not any(severity == "error" for _, severity, _ in expected):
        assert result.kernel is not None
    shapes = {
        value.origin.span.line: f"({', '.join(map(text, value.shape))}{',' * (len(value.shape) == 1)}) {value.dtype}"
        for value in result.values
        if value.shape is not None
    }
    for line, match in _expected(example.code, _SHAPE).items():
        assert shapes.get(line) == match[1], f"line {line}"


def test_every_file_has_examples() -> None:
    files = {example.name.split(":")[0] for example in _examples()}
    assert files == {file.stem for file in Path(__file__).with_name("spec").glob("*.md")}
