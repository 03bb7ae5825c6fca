"""A folder of files under check."""

from __future__ import annotations

import textwrap
from pathlib import Path

from ptoscope_compiler.analysis.check import diagnostics
from ptoscope_compiler.analysis.files import OPENED
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic
from ptoscope_compiler.query import Database
from ptoscope_compiler.source.file import SourceFile

SIGNATURE = """
import pypto

@pypto.frontend.jit
def kernel(
    a: pypto.Tensor((64, 64), pypto.DT_FP32),
    b: pypto.Tensor((64, 32), pypto.DT_FP32),
    out: pypto.Tensor((64, 64), pypto.DT_FP32),
):
"""


def kernel(*body: str) -> str:
    """A file with one kernel of two inputs that do not broadcast and one output. The body starts on line 9."""
    return SIGNATURE.lstrip("\n") + "".join(f"    {line}\n" for line in body)


class Folder:
    """Files by name, and the findings of one of them."""

    def __init__(self, root: Path, **files: str) -> None:
        self.root = root
        self.database = Database()
        for name, text in files.items():
            self.write(name.replace("__", "/") + ".py", text)

    def path(self, name: str) -> str:
        return str(self.root / name)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")

    def type(self, name: str, text: str) -> None:
        """What an editor holds, over what is on disk."""
        self.database.set(OPENED, self.path(name), SourceFile(self.path(name), textwrap.dedent(text)))

    def findings(self, name: str = "k.py") -> tuple[Diagnostic, ...]:
        return diagnostics(self.database, self.path(name))

    def found(self, name: str = "k.py") -> list[tuple[str, str, int]]:
        """(code, severity, line) of every finding in the file that is no hint."""
        return [
            (finding.code, finding.severity.value, finding.span.line)
            for finding in self.findings(name)
            if finding.severity.value != "hint"
        ]
