"""`auto_mutex`: buffer tokens taken around each operation on tiles of groups that have them.

Rules: `_emit_auto_mutex` in `python/pypto_pro/language/parser/_call_parser.py` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .. import scalar
from ..evaluate.values import Value
from ..hardware import MemorySpace, Pipe
from ..origin import Origin
from ..pto.program import If, MutexLock, MutexUnlock
from ..scalar import Scalar, ScalarLike
from .tiles import Pointer, Tile

if TYPE_CHECKING:
    from .tracer import Tracer


class AutoMutex:
    """Takes and releases tokens; does nothing where the kernel turned `auto_mutex` off."""

    def __init__(self, tracer: Tracer, enabled: bool) -> None:
        self._tracer = tracer
        self._enabled = enabled

    @contextmanager
    def held(
        self, pipe: Pipe, values: Sequence[Value], origin: Origin, without: frozenset[MemorySpace] = frozenset()
    ) -> Iterator[None]:
        """`pipe` holds the tokens of the tiles among `values`, but for those in the spaces `without`.

        Within a vector function nothing is taken: its caller holds the tokens.
        """
        tiles = _guarded_tiles(values, without)
        if not self._enabled or not tiles or self._tracer.in_vector_function:
            yield
            return
        groups = _overlapping(tiles)
        for group in groups:
            self._each(group, pipe, origin, MutexLock)
        yield
        for group in groups:
            self._each(group, pipe, origin, MutexUnlock)

    def _each(
        self, group: Sequence[Tile], pipe: Pipe, origin: Origin, operation: type[MutexLock] | type[MutexUnlock]
    ) -> None:
        """One operation per token of the group; a token that run time finds equal to an earlier one is left out."""
        done: list[ScalarLike] = []
        for token in dict.fromkeys(token for tile in group for token in tile.mutex):
            condition: ScalarLike = 1
            for earlier in done:
                if isinstance(token, Scalar) or isinstance(earlier, Scalar):
                    condition = scalar.apply("and", condition, scalar.apply("ne", token, earlier))
            done.append(token)
            statement = operation(pipe, token, origin)
            if isinstance(condition, Scalar):
                self._tracer.emit(If(condition, (statement,), (), origin))
            elif condition:
                self._tracer.emit(statement)


def _guarded_tiles(values: Sequence[Value], without: frozenset[MemorySpace]) -> list[Tile]:
    found: dict[tuple[object, ...], Tile] = {}
    for value in values:
        tile = value.tile if isinstance(value, Pointer) else value
        if isinstance(tile, Tile) and tile.mutex and tile.type.space not in without:
            found.setdefault((*map(id, tile.slots), tile.index), tile)
    return list(found.values())


def _overlapping(tiles: Sequence[Tile]) -> list[list[Tile]]:
    """Tiles whose groups have tokens in common, together."""
    groups: list[tuple[set[int], list[Tile]]] = []
    for tile in tiles:
        tokens = set(tile.candidates)
        meeting = [group for group in groups if group[0] & tokens]
        rest = [group for group in groups if not group[0] & tokens]
        merged = [other for _, members in meeting for other in members]
        groups = [*rest, (tokens.union(*(group[0] for group in meeting)), [*merged, tile])]
    return [members for _, members in groups]
