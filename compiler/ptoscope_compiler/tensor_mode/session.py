"""What one evaluation of a program knows of Tensor mode: options in force, the kernel being traced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .configuration import Configuration

if TYPE_CHECKING:
    from .tracer import Tracer


@dataclass
class Session:
    """Shared by all values that come from one `pypto` module object."""

    configuration: Configuration = field(default_factory=Configuration)
    tracer: Tracer | None = None

    @contextmanager
    def tracing(self, tracer: Tracer) -> Iterator[None]:
        """Let `tracer` record what is called."""
        outer, self.tracer = self.tracer, tracer
        token = _current.set(self)
        try:
            yield
        finally:
            self.tracer = outer
            _current.reset(token)


_current: ContextVar[Session | None] = ContextVar("session", default=None)


def current_session() -> Session | None:
    """The session of the kernel being traced, for scalars, which know no session."""
    return _current.get()
