"""Inputs with revisions and derived queries with recorded dependencies and early cut-off.

The idea is that of salsa (https://salsa-rs.github.io/salsa/reference/algorithm.html): a result is valid as long as
nothing that it read has changed; what it read is asked first, and a result that comes out equal changes nothing more.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K", bound=Hashable)

_KEPT_UNASKED = 64
"""Revisions for which a result is kept although nobody asks for it."""


class Cancelled(Exception):
    """The answer is not wanted any more."""


class QueryCycle(Exception):
    """A query needs its own result. Queries let this pass: whoever catches it depends on who was asked first."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(" -> ".join(names))
        self.names = names


class Cancellation:
    """A flag that another thread may set."""

    def __init__(self) -> None:
        self.requested = False

    def cancel(self) -> None:
        self.requested = True

    def check(self) -> None:
        """Raises Cancelled once the flag is set."""
        if self.requested:
            raise Cancelled


@dataclass(frozen=True)
class _Node:
    """A query, or an input, with its arguments."""

    source: Query[Any, Any] | Input[Any, Any]
    arguments: tuple[Hashable, ...]

    def __str__(self) -> str:
        return f"{self.source.name}({', '.join(map(str, self.arguments))})"


@dataclass(slots=True)
class _Memo:
    """A value, the revision in which it last changed, that in which it was last known valid, and what it read."""

    value: Any
    changed: int
    verified: int
    read: tuple[_Node, ...] = ()


@dataclass(slots=True)
class _Running:
    node: _Node
    read: dict[_Node, None] = field(default_factory=dict)


class Input(Generic[K, R]):
    """Values set from outside, by key. Reading a key that was never set gives `default`, and is a dependency too."""

    def __init__(self, name: str, default: R) -> None:
        self.name = name
        self.default = default

    def __call__(self, database: Database, key: K) -> R:
        return cast(R, database.read(_Node(self, (key,))))


class Query(Generic[P, R]):
    """A function of a database and hashable arguments, which reads inputs and other queries only."""

    def __init__(self, function: Callable[Concatenate[Database, P], R]) -> None:
        self.function = function
        self.name = function.__name__
        functools.update_wrapper(self, function)

    def __call__(self, database: Database, *arguments: P.args, **keywords: P.kwargs) -> R:
        assert not keywords, "queries take positional arguments"
        return cast(R, database.read(_Node(self, arguments)))


def query(function: Callable[Concatenate[Database, P], R]) -> Query[P, R]:
    """Make `function` a memoised query. Its results are compared with `==`, and nobody writes to them."""
    return Query(function)


class Database:
    """Memoised results of queries over inputs; `executions` counts by name how often each query really ran.

    For one thread at a time.
    """

    def __init__(self) -> None:
        self.revision = 1
        self.executions: Counter[str] = Counter()
        self.cancellation = Cancellation()
        self._memos: dict[_Node, _Memo] = {}
        self._stack: list[_Running] = []

    def set(self, source: Input[K, R], key: K, value: R) -> None:
        """Change an input; a value equal to the present one changes nothing."""
        assert not self._stack, "inputs do not change while a query runs"
        node = _Node(source, (key,))
        memo = self._memos.get(node)
        present = source.default if memo is None else memo.value
        if present != value:
            self.revision += 1
            self._memos[node] = _Memo(value, self.revision, self.revision)
            if self.revision % _KEPT_UNASKED == 0:
                self._forget()

    def _forget(self) -> None:
        """Drop results that nobody has asked for in a long time; the arguments of queries may be many and large."""
        oldest = self.revision - _KEPT_UNASKED
        self._memos = {
            node: memo
            for node, memo in self._memos.items()
            if isinstance(node.source, Input) or memo.verified >= oldest
        }

    @contextmanager
    def cancellable(self, cancellation: Cancellation) -> Iterator[None]:
        """Within, queries raise Cancelled once `cancellation` is requested."""
        outer, self.cancellation = self.cancellation, cancellation
        try:
            yield
        finally:
            self.cancellation = outer

    def read(self, node: _Node) -> Any:
        """The present value of a query or input, noted as read by the query that runs."""
        if self._stack:
            self._stack[-1].read[node] = None
        return self._valid(node).value

    def _valid(self, node: _Node) -> _Memo:
        memo = self._memos.get(node)
        if isinstance(node.source, Input):
            return memo or _Memo(node.source.default, 0, self.revision)
        if memo is not None and (memo.verified == self.revision or self._still_valid(memo)):
            memo.verified = self.revision
            return memo
        return self._execute(node, memo)

    def _still_valid(self, memo: _Memo) -> bool:
        """Whether nothing that was read, in the order in which it was read, has changed since."""
        return all(self._valid(node).changed <= memo.verified for node in memo.read)

    def _execute(self, node: _Node, old: _Memo | None) -> _Memo:
        self.cancellation.check()
        if any(running.node == node for running in self._stack):
            raise QueryCycle(tuple(str(running.node) for running in self._stack) + (str(node),))
        running = _Running(node)
        self._stack.append(running)
        try:
            value = cast("Query[Any, Any]", node.source).function(self, *node.arguments)
        finally:
            self._stack.pop()
        self.executions[node.source.name] += 1
        changed = self.revision
        if old is not None and old.value == value:
            value, changed = old.value, old.changed
        memo = _Memo(value, changed, self.revision, tuple(running.read))
        self._memos[node] = memo
        return memo
