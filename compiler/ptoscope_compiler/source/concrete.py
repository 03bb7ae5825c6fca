"""The concrete tree of a text that is being typed: tree-sitter, re-parsed around each edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tree_sitter_python
from tree_sitter import Language, Parser, Tree

from .text import Text

_LANGUAGE = Language(tree_sitter_python.language())


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the characters from offset `start` to `end` by `replacement`."""

    start: int
    end: int
    replacement: str


def parse_concrete(text: Text) -> Tree:
    return Parser(_LANGUAGE).parse(text.encoded)


def apply_edits(text: Text, tree: Tree | None, edits: Sequence[TextEdit]) -> tuple[Text, Tree | None]:
    """The text after `edits`, each in the coordinates that the one before it left; its tree where `tree` is given."""
    tree = tree.copy() if tree is not None else None
    for edit in edits:
        content = text.content[: edit.start] + edit.replacement + text.content[edit.end :]
        after = Text(content)
        if tree is not None:
            new_end = edit.start + len(edit.replacement)
            start_byte, start_point = _place(text, edit.start)
            old_end_byte, old_end_point = _place(text, edit.end)
            new_end_byte, new_end_point = _place(after, new_end)
            tree.edit(start_byte, old_end_byte, new_end_byte, start_point, old_end_point, new_end_point)
        text = after
    if tree is not None:
        tree = Parser(_LANGUAGE).parse(text.encoded, tree)
    return text, tree


def top_level_lines(tree: Tree, text: Text) -> list[int] | None:
    """Lines on which the statements of the module start; None where the text has errors and they cannot be trusted."""
    root = tree.root_node
    if root.has_error or "\r" in text.content or "\f" in text.content:
        return None
    lines: list[int] = []
    for child in root.children:
        line = child.start_point.row + 1
        if child.type != "comment" and (not lines or line != lines[-1]):
            lines.append(line)
    return lines


def _place(text: Text, offset: int) -> tuple[int, tuple[int, int]]:
    """Byte offset and (row, byte column), which tree-sitter counts by "\\n" alone."""
    before = text.content[:offset]
    encoded = before.encode("utf-8", "replace")
    row_start = encoded.rfind(b"\n") + 1
    return len(encoded), (encoded.count(b"\n"), len(encoded) - row_start)
