"""The findings of one kernel under one call, computed again only where something that they depend on has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..diagnostics.rules import pt901_step_budget, pt910_kernel_not_analysed
from ..evaluate.kernels import Kernel, Specialisation
from ..origin import Origin, Span
from ..query import Cancelled, Database, query
from ..targets import load
from .fingerprint import fingerprint
from .host import Host
from .modes import CHECKS
from .spans import AnchoredFindings, anchored

_CALLS_PER_KERNEL = 4
"""Calls of one kernel that are looked at, as far as they differ."""


@dataclass(frozen=True, eq=False)
class KernelCheck:
    """A kernel to be checked for one call (None: for what its signature says) and target.

    Two are equal where nothing that the findings depend on differs, whatever evaluation they come from.
    """

    kernel: Kernel
    call: Specialisation | None
    target: str
    host: Host
    fingerprint: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelCheck) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __str__(self) -> str:
        return self.kernel.name


def kernel_checks(host: Host, target: str) -> Iterator[KernelCheck]:
    """Every kernel under its calls, as far as they differ, or under its signature where none is known."""
    calls: dict[int, tuple[Kernel, list[Specialisation]]] = {id(kernel): (kernel, []) for kernel in host.kernels}
    for call in host.calls:
        calls.setdefault(id(call.kernel), (call.kernel, []))[1].append(call)
    for kernel, known in calls.values():
        checks = (_check(kernel, call, target, host) for call in known or (None,))
        yield from list(dict.fromkeys(checks))[:_CALLS_PER_KERNEL]


def _check(kernel: Kernel, call: Specialisation | None, target: str, host: Host) -> KernelCheck:
    given = (call.arguments, call.launch) if call is not None else None
    return KernelCheck(kernel, call, target, host, fingerprint(host.files, kernel, given, target))


@query
def kernel_findings(database: Database, check: KernelCheck) -> AnchoredFindings:
    """The findings, tied to the statements in which they lie; a failure of ours is one of them."""
    host = check.host
    try:
        found = CHECKS[check.kernel.mode](check.kernel, check.call, load(check.target), host.environment)
    except Cancelled:
        raise
    except Exception as error:
        rule = pt910_kernel_not_analysed.RULE
        found = [rule.at(_name_of(check.kernel, host), kernel=check.kernel.name, cause=cause_of(error))]
    return anchored([_own_limit(finding) for finding in found], host.files)


def cause_of(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _own_limit(finding: Diagnostic) -> Diagnostic:
    """What we cannot do yet is no error of the kernel; an evaluation that does not end is the author's to know."""
    is_limit = finding.code.startswith("PT9") and finding.code != pt901_step_budget.RULE.code
    return replace(finding, severity=Severity.HINT) if is_limit else finding


def _name_of(kernel: Kernel, host: Host) -> Origin:
    """Where the name of the kernel stands in its definition."""
    node = kernel.function.node
    path = kernel.function.module.file
    file = host.files.get(path)
    line = node.lineno + kernel.function.lines_above
    content = file.text.line(line).encode() if file is not None else b""
    name = kernel.name.encode()
    column = max(content.find(name, node.col_offset), node.col_offset)
    return Origin(Span(path, line, column, line, column + len(name)), kernel.name)
