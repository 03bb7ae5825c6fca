"""A finding in the user's source, independent of how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..origin import Origin, Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Facts:
    """The five facts. Sizes in elements and bytes; None where a fact does not apply."""

    operation: str | None = None
    buffer: str | None = None
    elements: int | None = None
    bytes: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has to do with the finding, and why (English, Chinese)."""

    span: Span
    message: str
    message_zh: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A mechanical remedy."""

    title: str
    title_zh: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding: a stable `code` (`PT301`), its name, default severity and texts.

    Texts are `str.format` templates over the arguments of a finding; `remedy` says what to do. `official` names the
    official error codes that this rule foresees.
    """

    code: str
    name: str
    severity: Severity
    message: str
    message_zh: str
    remedy: str
    remedy_zh: str
    official: tuple[str, ...] = ()

    def at(
        self,
        origin: Origin,
        facts: Facts | None = None,
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
        severity: Severity | None = None,
        **arguments: Any,
    ) -> Diagnostic:
        """A finding of this rule at `origin`; `arguments` fill the templates."""
        return Diagnostic(self, origin, facts or Facts(), related, fixes, severity or self.severity, arguments)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: a rule at a place."""

    rule: Rule
    origin: Origin
    facts: Facts
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    severity: Severity = Severity.ERROR
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def span(self) -> Span:
        return self.origin.span

    def message(self, language: str = "en") -> str:
        """The text in "en" or "zh", without the remedy."""
        template = self.rule.message_zh if language == "zh" else self.rule.message
        return template.format(**self.arguments)

    def remedy(self, language: str = "en") -> str:
        template = self.rule.remedy_zh if language == "zh" else self.rule.remedy
        return template.format(**self.arguments)


Report = Callable[[Diagnostic], None]
