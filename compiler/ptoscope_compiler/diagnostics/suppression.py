"""Comments by which an author silences a finding: `# ptoscope: ignore[PT101]`, or `# ptoscope: ignore` for any."""

from __future__ import annotations

import re

from ..source.text import Text
from .diagnostic import Diagnostic

_COMMENT = re.compile(r"#\s*ptoscope:\s*ignore(?:\[(?P<codes>[^\]]*)\])?")


def is_suppressed(diagnostic: Diagnostic, text: Text) -> bool:
    """Whether the first or the last line of the finding's range carries such a comment. `text` is that of its file."""
    span = diagnostic.span
    return any(_silences(text.line(line), diagnostic.code) for line in {span.line, span.end_line})


def _silences(line: str, code: str) -> bool:
    if "ptoscope" not in line:
        return False
    for match in _COMMENT.finditer(line):
        codes = match["codes"]
        if codes is None or code in {listed.strip() for listed in codes.split(",")}:
            return True
    return False
