"""Which file an import names, by the rules of Python and without its `sys.path`.

Searched are the folder that holds the importer's outermost package, the importer's own folder, and the folders above it
as far as they belong to the same project: that is what scripts add to `sys.path` to reach what they share.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from ..query import Database, query
from .files import is_file, is_folder
from .modes import SUPPLIED

_PROJECT_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", os.path.join(".git", "HEAD"))
_DEEPEST_PACKAGE = 32


@query
def module_name(database: Database, path: str) -> str:
    """Dotted name of the module in `path`, from its outermost package on."""
    folder, file = os.path.split(path)
    stem = file.removesuffix(".py")
    names = [] if stem == "__init__" else [stem]
    names.extend(os.path.basename(package) for package in _packages(database, folder))
    return ".".join(reversed(names)) or stem


@query
def find_module(database: Database, name: str, importer: str) -> str | None:
    """Path of the module `name` for the file `importer`; None where the workspace does not have it.

    That of a package without `__init__.py` is its folder.
    """
    top = name.partition(".")[0]
    if top in SUPPLIED or top in sys.stdlib_module_names:
        return None
    inner = name.replace(".", os.sep)
    for folder in search_path(database, importer):
        for candidate in (os.path.join(folder, inner + ".py"), os.path.join(folder, inner, "__init__.py")):
            if is_file(database, candidate):
                return candidate
    folders = (os.path.join(folder, inner) for folder in search_path(database, importer))
    return next((folder for folder in folders if is_folder(database, folder)), None)


@query
def search_path(database: Database, importer: str) -> tuple[str, ...]:
    """Folders in which imports of a file are searched, the nearest first."""
    folder = os.path.dirname(importer)
    packages = list(_packages(database, folder))
    root = os.path.dirname(packages[-1]) if packages else folder
    return tuple(dict.fromkeys([root, folder, *_project_folders(database, root)]))


def _packages(database: Database, folder: str) -> Iterator[str]:
    """The packages that hold `folder`, from the innermost outwards."""
    for _ in range(_DEEPEST_PACKAGE):
        if not is_file(database, os.path.join(folder, "__init__.py")):
            return
        yield folder
        folder = os.path.dirname(folder)


def _project_folders(database: Database, folder: str) -> list[str]:
    """The folders above `folder` up to the one that marks a project; none where nothing marks one."""
    above: list[str] = []
    while True:
        if any(is_file(database, os.path.join(folder, marker)) for marker in _PROJECT_MARKERS):
            return above
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        above.append(parent)
        folder = parent
