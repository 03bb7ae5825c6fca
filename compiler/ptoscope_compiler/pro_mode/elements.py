"""Single elements of tiles and tensors, read and written by the scalar unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..evaluate.site import Site
from ..evaluate.values import Unsupported, Value
from ..hardware import Pipe
from ..pto import operands as pto
from ..pto.program import ReadElement, WriteElement
from ..scalar import ScalarLike, Symbol
from .scalars import as_value, lower
from .tensors import Tensor
from .tiles import Tile, element_offset

if TYPE_CHECKING:
    from .tracer import Tracer

Container = Tile | Tensor


class Elements:
    """`container[key]`, `pl.getval` and `pl.setval`: an index alone counts elements in memory."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def read(self, container: Container, key: Value, site: Site) -> Value:
        """The element as a scalar known at run time."""
        tracer = self._tracer
        tracer.origin = site.origin
        source, indices = _place(container, key)
        name = tracer.fresh("element")
        with tracer.mutex.held(Pipe.S, [container], site.origin):
            tracer.emit(ReadElement(name, source, indices, site.origin))
        return as_value(Symbol(name), source.dtype if isinstance(source, pto.Window) else source.type.dtype)

    def write(self, container: Container, key: Value, value: Value, site: Site) -> None:
        tracer = self._tracer
        tracer.origin = site.origin
        target, indices = _place(container, key)
        with tracer.mutex.held(Pipe.S, [container], site.origin):
            tracer.emit(WriteElement(target, indices, lower(value), site.origin))


def _place(container: Container, key: Value) -> tuple[pto.Tile | pto.Window, tuple[ScalarLike, ...]]:
    if isinstance(container, Tile):
        return container.memory(), (element_offset(container, key),)
    if not isinstance(key, tuple):
        return container.memory(), (lower(key),)
    if len(key) != len(container.shape):
        raise Unsupported(f"the tensor has {len(container.shape)} axes, but {len(key)} indices are given")
    return container.whole(), tuple(map(lower, key))
