"""Findings that move with the text: places counted from the top-level statement in which they lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..diagnostics.diagnostic import Diagnostic, Edit, Fix, Related
from ..origin import Origin, Span
from ..source.file import SourceFile

Files = Mapping[str, "SourceFile | None"]
_Move = Callable[[Span], Span]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A top-level statement: the `occurrence`th of its file with this label. No label stands for the file itself."""

    path: str
    label: str = ""
    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class AnchoredFindings:
    """Findings in whose spans `file` is the index of an anchor, and `line` counts from 0 there."""

    anchors: tuple[Anchor, ...]
    findings: tuple[Diagnostic, ...]


def anchored(findings: Sequence[Diagnostic], files: Files) -> AnchoredFindings:
    """Findings whose spans hold lines of `files`, tied to the statements there."""
    anchors: dict[Anchor, int] = {}

    def move(span: Span) -> Span:
        anchor, first = anchor_of(span.file, span.line, files)
        index = anchors.setdefault(anchor, len(anchors))
        return replace(span, file=str(index), line=span.line - first, end_line=span.end_line - first)

    moved = tuple(_with_spans(finding, move) for finding in findings)
    return AnchoredFindings(tuple(anchors), moved)


def placed(anchored: AnchoredFindings, files: Files) -> list[Diagnostic]:
    """The findings with the lines that their statements have in `files` now."""
    places = [(anchor.path, _line_of(anchor, files)) for anchor in anchored.anchors]

    def move(span: Span) -> Span:
        path, first = places[int(span.file)]
        return replace(span, file=path, line=span.line + first, end_line=span.end_line + first)

    return [_with_spans(finding, move) for finding in anchored.findings]


def anchor_of(path: str, line: int, files: Files) -> tuple[Anchor, int]:
    """The statement on a line, and the line on which it starts."""
    file = files.get(path)
    if file is None or not file.parts:
        return Anchor(path), 0
    part = file.part_at(line)
    occurrence = sum(1 for other in file.parts if other.label == part.label and other.line < part.line)
    return Anchor(path, part.label, occurrence), part.line


def _line_of(anchor: Anchor, files: Files) -> int:
    file = files.get(anchor.path)
    parts = file.parts if file is not None and anchor.label else ()
    lines = [part.line for part in parts if part.label == anchor.label]
    return lines[min(anchor.occurrence, len(lines) - 1)] if lines else 0


def _with_spans(finding: Diagnostic, move: _Move) -> Diagnostic:
    return replace(
        finding,
        origin=_moved_origin(finding.origin, move),
        related=tuple(Related(move(r.span), r.message, r.message_zh) for r in finding.related),
        fixes=tuple(_moved_fix(fix, move) for fix in finding.fixes),
    )


def _moved_origin(origin: Origin, move: _Move) -> Origin:
    caller = _moved_origin(origin.caller, move) if origin.caller is not None else None
    return Origin(move(origin.span), origin.function, caller)


def _moved_fix(fix: Fix, move: _Move) -> Fix:
    return Fix(fix.title, fix.title_zh, tuple(Edit(move(edit.span), edit.text) for edit in fix.edits))
