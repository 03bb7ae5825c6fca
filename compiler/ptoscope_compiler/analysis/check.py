"""The findings of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..diagnostics.rules import (
    pt600_syntax_error,
    pt911_file_too_long,
    pt912_file_not_analysed,
)
from ..diagnostics.suppression import is_suppressed
from ..origin import Origin, Span
from ..query import Cancelled, Database, Input, query
from ..source.file import SIZE_LIMIT, SourceFile
from ..source.nodes import SyntaxProblem
from .files import source
from .host import host
from .kernel_check import cause_of, kernel_checks, kernel_findings
from .spans import placed

TARGET: Input[str, str] = Input("target", "a2a3")
"""By path: the chip for which a file is checked."""

_RANK = {severity: rank for rank, severity in enumerate(Severity)}


@query
def diagnostics(database: Database, path: str) -> tuple[Diagnostic, ...]:
    """Everything found in the file and in what its kernels inline, each finding once, in the order of the text."""
    file = source(database, path)
    if file is None:
        return ()
    kernels = (finding for finding in _kernel_findings(database, path) if not _follows_problem(database, finding))
    found = [*_text_findings(file), *kernels]
    return tuple(sorted(_visible(database, _once(found)), key=_place))


def _text_findings(file: SourceFile) -> Iterator[Diagnostic]:
    if file.is_too_long:
        whole = Origin(Span(file.path, 1, 0, 1, 0))
        yield pt911_file_too_long.RULE.at(whole, characters=len(file.text.content), limit=SIZE_LIMIT)
    for problem in file.problems:
        yield pt600_syntax_error.RULE.at(_origin(file.path, problem), reason=problem.reason)


def _origin(path: str, problem: SyntaxProblem) -> Origin:
    return Origin(Span(path, problem.line, problem.column, problem.end_line, problem.end_column))


def _kernel_findings(database: Database, path: str) -> Iterator[Diagnostic]:
    try:
        evaluated = host(database, path)
    except Cancelled:
        raise
    except Exception as error:
        yield pt912_file_not_analysed.RULE.at(Origin(Span(path, 1, 0, 1, 0)), cause=cause_of(error))
        return
    if evaluated is None:
        return
    for checked in kernel_checks(evaluated, TARGET(database, path)):
        yield from placed(kernel_findings(database, checked), evaluated.files)


def _follows_problem(database: Database, finding: Diagnostic) -> bool:
    """Whether something in front of the finding, in the same top-level statement, does not parse: it proves nothing."""
    file = source(database, finding.span.file)
    if file is None or not file.problems:
        return False
    part = file.part_at(finding.span.line)
    return any(part.line <= problem.line <= finding.span.line for problem in file.problems)


def _once(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """One finding for each rule and place, the gravest."""
    kept: dict[tuple[str, Span], Diagnostic] = {}
    for diagnostic in found:
        key = diagnostic.code, _what_to_change(diagnostic)
        present = kept.get(key)
        if present is None or _RANK[diagnostic.severity] < _RANK[present.severity]:
            kept[key] = diagnostic
    return list(kept.values())


def _what_to_change(diagnostic: Diagnostic) -> Span:
    """For a memory that overflows, the tile shape that every operation under it suffers from."""
    if diagnostic.code.startswith("PT2") and diagnostic.related:
        return diagnostic.related[0].span
    return diagnostic.span


def _visible(database: Database, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Those that no comment silences."""
    for diagnostic in found:
        file = source(database, diagnostic.span.file)
        if file is None or not is_suppressed(diagnostic, file.text):
            yield diagnostic


def _place(diagnostic: Diagnostic) -> tuple[str, int, int, str]:
    span = diagnostic.span
    return span.file, span.line, span.column, diagnostic.code
