"""The trace under way: operations of `pl` find here the program that they add to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ..evaluate.values import Unsupported

if TYPE_CHECKING:
    from .tracer import Tracer

_TRACER: ContextVar[Tracer | None] = ContextVar("pro_mode_tracer", default=None)


def tracer() -> Tracer:
    """The tracer of the kernel being traced; Unsupported outside a kernel."""
    found = _TRACER.get()
    if found is None:
        raise Unsupported("only a kernel can do this")
    return found


def tracing_now() -> Tracer | None:
    """The tracer of the kernel being traced, if there is one."""
    return _TRACER.get()


@contextmanager
def tracing(active: Tracer) -> Iterator[None]:
    """Makes `active` the tracer within the `with` block."""
    token = _TRACER.set(active)
    try:
        yield
    finally:
        _TRACER.reset(token)
