"""Columns in bytes, UTF-16 units and characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ptoscope_compiler.source.concrete import TextEdit
from ptoscope_compiler.source.file import SourceFile, UnreadableSource, decode
from ptoscope_compiler.source.text import Text


def test_columns_of_a_line_with_wide_characters() -> None:
    text = Text("x = '瓦🙂'  # end\n")
    assert text.utf8_column(1, 7) == 12
    assert text.character_column(1, 12) == 7
    assert text.utf16_column(1, 12) == 8
    assert text.utf8_from_utf16(1, 8) == 12


def test_all_line_ends_of_python_count() -> None:
    text = Text("a\r\nb\rc\n\x0bd\u2028e")
    assert [text.line(n) for n in range(1, text.line_count + 1)] == ["a", "b", "c", "\x0bd\u2028e"]


def test_a_text_that_ends_with_a_newline_has_an_empty_last_line() -> None:
    assert Text("a\n").line_count == 2
    assert Text("").line_count == 1


@given(st.text(), st.integers(0, 300))
def test_offsets_and_places_are_inverse(content: str, offset: int) -> None:
    text = Text(content)
    line, column = text.place(offset)
    assert text.offset(line, column) == min(offset, len(content)) or content[offset - 1 : offset + 1] == "\r\n"


@given(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), st.integers(0, 50))
def test_columns_convert_there_and_back(content: str, column: int) -> None:
    text = Text(content)
    column = min(column, len(content))
    utf8 = text.utf8_column(1, column)
    assert text.character_column(1, utf8) == column
    assert text.utf8_from_utf16(1, text.utf16_column(1, utf8)) == utf8


@given(st.text(), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 10), st.text(max_size=4)), max_size=4))
def test_an_edited_tree_equals_a_fresh_one(content: str, edits: list[tuple[int, int, str]]) -> None:
    file = SourceFile("k.py", content)
    for start, length, typed in edits:
        _ = file.concrete
        size = len(file.text.content)
        start = min(start, size)
        file = file.edited([TextEdit(start, min(start + length, size), typed)], 1)
    assert str(file.concrete.root_node) == str(SourceFile("k.py", file.text.content).concrete.root_node)


def test_the_declared_encoding_is_used() -> None:
    assert decode("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1")).endswith("x = 'é'\n")


def test_binary_content_is_not_text() -> None:
    try:
        decode(b"\xff\xfe\x00\x01")
    except UnreadableSource as error:
        assert "not text" in str(error)
    else:
        raise AssertionError("binary content was taken for text")
