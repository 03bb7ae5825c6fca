"""Iterating over any value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .operation import Operation
from .site import Site
from .values import Abstract, Unsupported, Value, is_unknown

Items = list[Value]


def iterate(value: Value, site: Site) -> Iterator[Value] | None:
    """An iterator over the items, which counts a step for each; None where they are not known."""
    items = _source(value, site)
    return None if items is None else _counted(items, site)


def items_of(value: Value, site: Site) -> Items | None:
    """The items; None where they are not known."""
    if type(value) in (list, tuple) and not site.interpreter.is_vague(value):
        return list(value)
    items = iterate(value, site)
    return None if items is None else list(items)


def _source(value: Value, site: Site) -> Iterable[Value] | None:
    assert isinstance(site, Operation)
    if is_unknown(value) or site.interpreter.is_vague(value):
        return None
    if isinstance(value, Abstract):
        try:
            return value.iterate(site)
        except Unsupported as reason:
            site.fail(TypeError(str(reason)))
            return None
    if isinstance(value, Iterable):
        return value
    site.fail(TypeError(f"'{type(value).__name__}' object is not iterable"))
    return None


def _counted(items: Iterable[Value], site: Site) -> Iterator[Value]:
    assert isinstance(site, Operation)
    step, frame, node = site.interpreter.step, site.frame, site.node
    for item in items:
        step(frame, node)
        yield item
