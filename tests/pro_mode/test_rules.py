"""Rules by example: each block of Python in `rules/*.md` is a kernel file. A comment `# error: PT601` (or `warning`,
`hint`) expects that finding on its line; nothing else may be found."""

import re
from pathlib import Path

import pytest
from pro_tracing import PRELUDE, kernels
from ptoscope_compiler import targets
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.pro_mode.trace import trace_pro_kernel

FOLDER = Path(__file__).parent / "rules"
BLOCK = re.compile(r"^## (?P<title>[^\n]+)$|^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTATION = re.compile(r"# (error|warning|hint): (PT\d+)")


def examples():
    for file in sorted(FOLDER.glob("*.md")):
        title = ""
        for match in BLOCK.finditer(file.read_text(encoding="utf-8")):
            if match["title"]:
                title = match["title"]
            else:
                yield pytest.param(match["code"], id=f"{file.stem}: {title}")


def found_in(text):
    declared, environment = kernels(text)
    assert declared, "the example declares no kernel"
    for kernel in declared.values():
        interpreter = Interpreter(environment)
        trace = trace_pro_kernel(kernel.function, (), targets.load("950"), interpreter, kernel.options)
        yield from trace.diagnostics


@pytest.mark.parametrize("code", list(examples()))
def test_example(code):
    text = PRELUDE + code
    expected = sorted(
        (number, *match.groups())
        for number, line in enumerate(text.splitlines(), 1)
        for match in EXPECTATION.finditer(line)
    )
    found = list(found_in(text))
    assert sorted((item.span.line, item.severity.value, item.code) for item in found) == expected
    for item in found:
        assert "{" not in item.message() + item.message("zh") + item.remedy() + item.remedy("zh")
