"""Writing what a command leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import cannot_run


def write_atomically(path: Path, text: str) -> None:
    """Write `text` so that the file is either the old one or the whole new one."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        cannot_run(f"{path}: cannot be written: {error.strerror}")
