"""The last step of a trace: constant variables become their value, unread assignments go, jumps fall in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from .. import scalar
from ..pto.operands import Tile, Window
from ..pto.program import Assign, For, If, Statement, While
from ..scalar import ElementRead, Expression, Scalar, ScalarLike, Symbol
from .deferred import Deferred


def settle(statements: Sequence[Any], settled: Mapping[str, ScalarLike]) -> tuple[Statement, ...]:
    """The finished body of a core program.

    `settled` lists variables as their loops were completed: values refer to those of enclosing loops, which come later.
    """
    resolved: dict[str, ScalarLike] = {}
    for name, value in reversed(list(settled.items())):
        resolved[name] = scalar.substitute(value, resolved)
    return _without_unread(_Substitution(resolved).body(statements))


class _Substitution:
    def __init__(self, values: Mapping[str, ScalarLike]) -> None:
        self._values = values
        self._memo: dict[Scalar, ScalarLike] = {}

    def body(self, statements: Iterable[Any]) -> tuple[Statement, ...]:
        return tuple(self._statement(statement) for statement in _flattened(statements))

    def _statement(self, statement: Statement) -> Statement:
        changes: dict[str, Any] = {}
        for entry in fields(statement):
            if entry.name in ("origin", "name", "opcode", "pipe", "mode", "format", "cores"):
                continue
            old = getattr(statement, entry.name)
            new = self._part(entry.name, old)
            if new is not old:
                changes[entry.name] = new
        return replace(statement, **changes) if changes else statement

    def _part(self, name: str, value: Any) -> Any:
        if name in ("body", "then", "otherwise"):
            return self.body(value)
        if isinstance(value, Scalar):
            return self._scalar(value)
        if isinstance(value, tuple):
            parts = tuple(self._part("", part) for part in value)
            return parts if any(a is not b for a, b in zip(parts, value, strict=True)) else value
        if isinstance(value, Mapping):
            return {key: self._part("", part) for key, part in value.items()} if value else value
        if isinstance(value, Tile):
            address, valid = self._part("", value.address), self._part("", value.valid)
            same = address is value.address and valid is value.valid
            return value if same else replace(value, address=address, valid=valid)
        if isinstance(value, Window):
            shape, strides = self._part("", value.shape), self._part("", value.strides)
            offset = self._part("", value.offset)
            same = shape is value.shape and strides is value.strides and offset is value.offset
            return value if same else replace(value, shape=shape, strides=strides, offset=offset)
        return value

    def _scalar(self, value: Scalar) -> ScalarLike:
        found = self._memo.get(value)
        if found is None:
            new = scalar.substitute(value, self._values)
            found = self._memo[value] = value if new == value else new
        return found


def _flattened(statements: Iterable[Any]) -> Iterator[Statement]:
    for statement in statements:
        if isinstance(statement, Deferred):
            yield from _flattened(statement.statements)
        else:
            yield statement


def _without_unread(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """`body` without assignments that nothing reads, and without branches that became empty."""
    while True:
        uses = _Uses()
        uses.add(body)
        kept = _kept(body, uses.names)
        if kept == body:
            return body
        body = kept


@dataclass
class _Uses:
    """Names of the variables that statements read."""

    def __post_init__(self) -> None:
        self.names: set[str] = set()
        self._seen: set[Scalar] = set()

    def add(self, value: Any) -> None:
        if isinstance(value, Scalar):
            self._add_scalar(value)
        elif isinstance(value, Assign):
            if not (isinstance(value.value, Scalar) and _only_reads(value.value, value.name)):
                self.add(value.value)
        elif isinstance(value, tuple):
            for part in value:
                self.add(part)
        elif isinstance(value, Mapping):
            for part in value.values():
                self.add(part)
        elif is_dataclass(value) and not isinstance(value, type):
            for entry in fields(value):
                if entry.name not in ("origin", "type", "dtype"):
                    self.add(getattr(value, entry.name))

    def _add_scalar(self, value: Scalar) -> None:
        if value in self._seen:
            return
        self._seen.add(value)
        if isinstance(value, Symbol):
            self.names.add(value.name)
        elif isinstance(value, Expression):
            self.add(value.operands)
        elif isinstance(value, ElementRead):
            self.add(value.indices)


def _only_reads(value: Scalar, name: str) -> bool:
    """Whether an assignment of `value` to `name` keeps no other variable alive (`x = x + 1`)."""
    return all(symbol.name == name for symbol in scalar.symbols(value))


def _kept(body: tuple[Statement, ...], used: set[str]) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, Assign) and statement.name not in used:
            continue
        if isinstance(statement, If):
            then, otherwise = _kept(statement.then, used), _kept(statement.otherwise, used)
            if not then and not otherwise:
                continue
            if (then, otherwise) != (statement.then, statement.otherwise):
                statement = replace(statement, then=then, otherwise=otherwise)
        elif isinstance(statement, (For, While)):
            inner = _kept(statement.body, used)
            if inner != statement.body:
                statement = replace(statement, body=inner)
        result.append(statement)
    return tuple(result)
