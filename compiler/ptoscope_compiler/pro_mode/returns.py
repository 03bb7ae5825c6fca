"""Early returns from helper functions, which are inlined.

A helper that returns in a branch of run time sets a flag, and everything after that branch runs where the flag is not
set. Where the call ends, the values of all its returns meet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import scalar
from ..evaluate.scope import Frame
from ..evaluate.values import Value
from ..origin import Origin
from ..pto.program import Assign, If
from ..scalar import ScalarLike, Symbol
from .cells import Cell
from .deferred import Deferred
from .merging import Leaf, merge

if TYPE_CHECKING:
    from .tracer import Tracer


@dataclass
class _Site:
    """A return: its value, the state at that point, and the place for the assignments that save them."""

    value: Value
    cells: dict[Cell, ScalarLike]
    place: Deferred


@dataclass
class _Call:
    flag: str
    sites: list[_Site] = field(default_factory=list)
    guarded: list[tuple[Deferred, list[Any], list[Any]]] = field(default_factory=list)


class HelperReturns:
    """Returns of the helper calls under way."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._calls: dict[Frame, _Call] = {}

    def add(self, frame: Frame, value: Value) -> None:
        """Record a return of `frame` from within a branch of run time."""
        tracer = self._tracer
        call = self._calls.get(frame)
        if call is None:
            call = self._calls[frame] = _Call(tracer.fresh("returned"))
        place = Deferred()
        tracer.emit(place)
        call.sites.append(_Site(value, {cell: cell.value for cell in tracer.cells}, place))

    def count(self, frame: Frame) -> int:
        """Returns recorded for `frame` so far."""
        call = self._calls.get(frame)
        return 0 if call is None else len(call.sites)

    def flag(self, frame: Frame) -> Symbol:
        """The variable that says whether `frame` has returned."""
        return Symbol(self._calls[frame].flag)

    def guard(self, frame: Frame) -> None:
        """What follows runs only where `frame` has not returned."""
        tracer, call = self._tracer, self._calls[frame]
        place, rest = Deferred(), []  # type: tuple[Deferred, list[Any]]
        tracer.emit(place)
        call.guarded.append((place, tracer.body, rest))
        tracer.body = rest

    def finish(self, frame: Frame, value: Value, reached: bool, origin: Origin) -> Value:
        """The value of the call; `value` is that of the end of the function, where it is `reached`."""
        call = self._calls.pop(frame, None)
        if call is None:
            return value
        tracer = self._tracer
        saved: list[list[Assign]] = [[] for _ in call.sites]
        last: list[Assign] = []

        def save(left: ScalarLike, right: ScalarLike, sites: int, hint: str) -> ScalarLike:
            name = tracer.fresh(hint)
            for assignments in saved[:sites]:
                assignments.append(Assign(name, left, origin))
            (saved[sites] if sites < len(saved) else last).append(Assign(name, right, origin))
            return Symbol(name)

        ends = [*(site.value for site in call.sites), *([value] if reached else [])]
        result = ends[0]
        for position, other in enumerate(ends[1:], 1):

            def join(left: Leaf, right: Leaf, sites: int = position) -> ScalarLike:
                return save(left[0], right[0], sites, "result")

            result = merge(result, other, join)
        self._merge_cells(call, reached, save)
        for site, assignments in zip(call.sites, saved, strict=True):
            site.place.statements = (*assignments, Assign(call.flag, 1, origin))
        self._close(call, last, origin)
        return result

    def _merge_cells(self, call: _Call, reached: bool, save: Any) -> None:
        for cell in tuple(self._tracer.cells):
            states = [site.cells.get(cell, cell.value) for site in call.sites]
            if reached:
                states.append(cell.value)
            merged = states[0]
            for position, state in enumerate(states[1:], 1):
                if state != merged:
                    merged = save(merged, state, position, cell.name)
            cell.value = merged

    def _close(self, call: _Call, last: list[Assign], origin: Origin) -> None:
        """Wrap what follows each early return, innermost first, and go back to the list where the call began."""
        tracer = self._tracer
        tracer.body.extend(last)
        condition = scalar.apply("not", Symbol(call.flag))
        for place, before, rest in reversed(call.guarded):
            place.statements = (If(condition, tuple(rest), (), origin),)
            if tracer.body is rest:
                tracer.body = before
        first = call.sites[0].place
        self._clear_flag(tracer.body, first, Assign(call.flag, 0, origin))

    def _clear_flag(self, body: list[Any], first: Deferred, statement: Assign) -> None:
        """Put the flag's first value before the statement that contains the first return."""
        for position, found in enumerate(body):
            if _contains(found, first):
                body.insert(position, statement)
                return
        body.insert(0, statement)


def _contains(statement: Any, wanted: Deferred) -> bool:
    if statement is wanted:
        return True
    parts = [getattr(statement, name, ()) for name in ("then", "otherwise", "body", "statements")]
    return any(_contains(inner, wanted) for part in parts for inner in part)
