"""A history of changes that can be undone event by event."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from .scalars import ElementReader, Variables

_MISSING = object()
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Journal:
    """Old values of everything that the last `limit` events changed."""

    def __init__(self, limit: int) -> None:
        self._events: deque[list[tuple[Any, ...]]] = deque(maxlen=limit)
        self._current: list[tuple[Any, ...]] = []

    def __len__(self) -> int:
        """How many events can be undone."""
        return len(self._events)

    def begin(self) -> None:
        """Changes from here on belong to a new event."""
        self._current = []
        self._events.append(self._current)

    def item(self, mapping: dict[Any, Any], key: Any) -> None:
        """`mapping[key]` is about to change."""
        self._current.append((mapping, key, dict.get(mapping, key, _MISSING)))

    def cells(self, array: NDArray[Any], place: Any) -> None:
        """`array[place]` is about to change."""
        self._current.append((array, place, array[place].copy()))

    def undo(self) -> bool:
        """Take back the last event; False where there is none left."""
        if not self._events:
            return False
        for holder, place, old in reversed(self._events.pop()):
            if not isinstance(holder, dict):
                holder[place] = old
            elif old is _MISSING:
                dict.pop(holder, place, None)
            else:
                dict.__setitem__(holder, place, old)
        self._current = []
        return True


class JournaledDict(dict[K, V], Generic[K, V]):
    """A dict whose changes a journal can undo."""

    __slots__ = ("_journal",)

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    def __setitem__(self, key: K, value: V) -> None:
        self._journal.item(self, key)
        super().__setitem__(key, value)

    def __delitem__(self, key: K) -> None:
        self._journal.item(self, key)
        super().__delitem__(key)

    def discard(self, key: K) -> None:
        """Remove `key` if it is there."""
        if key in self:
            del self[key]


class JournaledVariables(Variables):
    """Scalar variables whose changes a journal can undo."""

    __slots__ = ("_journal",)

    def __init__(self, values: dict[Any, Any], read: ElementReader, journal: Journal) -> None:
        super().__init__(values, read)
        self._journal = journal

    def __setitem__(self, name: Any, value: Any) -> None:
        self._journal.item(self, name)
        super().__setitem__(name, value)
