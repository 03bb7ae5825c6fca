"""The findings of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..diagnostics.rules import (
    pt600_syntax_error,
    pt901_step_budget,
    pt910_kernel_not_analysed,
    pt911_file_too_long,
    pt912_file_not_analysed,
)
from ..diagnostics.suppression import is_suppressed
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..origin import Origin, Span
from ..query import Cancelled, Database, Input, query
from ..source.file import SIZE_LIMIT, SourceFile
from ..source.nodes import SyntaxProblem
from ..targets import load
from .files import source
from .host import host
from .modes import CHECKS

TARGET: Input[str, str] = Input("target", "a2a3")
"""By path: the chip for which a file is checked."""

_CALLS_PER_KERNEL = 8
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
        yield pt912_file_not_analysed.RULE.at(Origin(Span(path, 1, 0, 1, 0)), cause=_cause(error))
        return
    if evaluated is None:
        return
    for kernel, call in _checked(evaluated.kernels, evaluated.calls):
        yield from _contained(database, kernel, call, TARGET(database, path), evaluated.environment)


def _follows_problem(database: Database, finding: Diagnostic) -> bool:
    """Whether something in front of the finding, in the same top-level statement, does not parse: it proves nothing."""
    file = source(database, finding.span.file)
    if file is None or not file.problems:
        return False
    part = file.part_at(finding.span.line)
    return any(part.line <= problem.line <= finding.span.line for problem in file.problems)


def _checked(
    kernels: Iterable[Kernel], calls: Iterable[Specialisation]
) -> Iterator[tuple[Kernel, Specialisation | None]]:
    """Every kernel under the calls that are known, or under its signature where none is."""
    by_kernel: dict[int, tuple[Kernel, list[Specialisation]]] = {id(kernel): (kernel, []) for kernel in kernels}
    for call in calls:
        by_kernel.setdefault(id(call.kernel), (call.kernel, []))[1].append(call)
    for kernel, known in by_kernel.values():
        if not known:
            yield kernel, None
        for call in known[:_CALLS_PER_KERNEL]:
            yield kernel, call


def _contained(
    database: Database,
    kernel: Kernel,
    call: Specialisation | None,
    target: str,
    environment: StaticEnvironment,
) -> list[Diagnostic]:
    """Findings of a kernel; a failure of ours becomes one of them."""
    try:
        return [_own_limit(finding) for finding in CHECKS[kernel.mode](kernel, call, load(target), environment)]
    except Cancelled:
        raise
    except Exception as error:
        rule = pt910_kernel_not_analysed.RULE
        return [rule.at(_name_of(database, kernel), kernel=kernel.name, cause=_cause(error))]


def _own_limit(finding: Diagnostic) -> Diagnostic:
    """What we cannot do yet is no error of the kernel; an evaluation that does not end is the author's to know."""
    is_limit = finding.code.startswith("PT9") and finding.code != pt901_step_budget.RULE.code
    return replace(finding, severity=Severity.HINT) if is_limit else finding


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _name_of(database: Database, kernel: Kernel) -> Origin:
    """Where the name of the kernel stands in its definition."""
    node = kernel.function.node
    path = kernel.function.module.file
    file = source(database, path)
    content = file.text.line(node.lineno).encode() if file is not None else b""
    name = kernel.name.encode()
    column = max(content.find(name, node.col_offset), node.col_offset)
    return Origin(Span(path, node.lineno, column, node.lineno, column + len(name)), kernel.name)


def _once(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """One finding for each rule and place, the gravest."""
    kept: dict[tuple[str, Span], Diagnostic] = {}
    for diagnostic in found:
        key = diagnostic.code, _cause_of(diagnostic)
        present = kept.get(key)
        if present is None or _RANK[diagnostic.severity] < _RANK[present.severity]:
            kept[key] = diagnostic
    return list(kept.values())


def _cause_of(diagnostic: Diagnostic) -> Span:
    """What has to change: for a memory that overflows, the tile shape that every operation under it suffers from."""
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
