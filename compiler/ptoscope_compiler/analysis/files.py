"""The texts of the workspace: those that an editor holds open before those on disk."""

from __future__ import annotations

from pathlib import Path

from ..query import Database, Input, query
from ..source.file import SourceFile, UnreadableSource

OPENED: Input[str, SourceFile | None] = Input("opened", None)
"""By path: the text that an editor holds, None where it holds none."""

STAMP: Input[str, int] = Input("stamp", 0)
"""By path: raised whenever the file on disk has changed."""


@query
def source(database: Database, path: str) -> SourceFile | None:
    """The file at an absolute path; None where there is no text."""
    opened = OPENED(database, path)
    if opened is not None:
        return opened
    STAMP(database, path)
    try:
        return SourceFile.read(path)
    except UnreadableSource:
        return None


@query
def is_file(database: Database, path: str) -> bool:
    if OPENED(database, path) is not None:
        return True
    STAMP(database, path)
    return Path(path).is_file()


@query
def is_folder(database: Database, path: str) -> bool:
    STAMP(database, path)
    return Path(path).is_dir()
