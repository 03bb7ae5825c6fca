"""The texts of the workspace: those that an editor holds open before those on disk."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class Code:
    """A file of which only the code counts: equal to any text that differs in comments alone."""

    file: SourceFile

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Code) and (self.file.path, self.file.parts) == (other.file.path, other.file.parts)

    def __hash__(self) -> int:
        return hash((self.file.path, self.file.parts))


@query
def code(database: Database, path: str) -> Code | None:
    """The code of a file; None where there is no text."""
    file = source(database, path)
    return None if file is None else Code(file)


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
