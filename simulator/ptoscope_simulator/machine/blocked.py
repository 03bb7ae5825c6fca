"""Why a program stops for ever: the chain of waits, each with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptoscope_compiler.diagnostics.diagnostic import Related
from ptoscope_compiler.hardware import Pipe
from ptoscope_compiler.pto.program import (
    Barrier,
    MutexLock,
    SetFlag,
    SyncAll,
    WaitCrossCore,
    WaitFlag,
)
from ptoscope_compiler.scalar import text

from .code import Leaf
from .states import Unit, unit, units

if TYPE_CHECKING:
    from .timeline import Timeline


def explain(timeline: Timeline) -> tuple[Any, str, tuple[Related, ...]]:
    """The first statement that waits, the chain in words, and its places."""
    first = _first_blocked(timeline)
    statement = _head(timeline, first)
    parts: list[str] = []
    related: list[Related] = []
    seen: set[Unit] = set()
    current: Unit | None = first
    while current is not None and current not in seen:
        seen.add(current)
        waits = _head(timeline, current)
        reason = _reason(timeline, current, waits)
        parts.append(f"{_name(timeline, current)} waits for {reason} at {waits.origin.span}")
        related.append(Related(waits.origin.span, f"waits for {reason}", f"等待 {reason}"))
        setter = _setter(timeline, current, waits)
        following = _releaser(timeline, current, waits)
        if setter is not None:
            parts.append(f"which {setter.origin.span} would set")
            related.append(Related(setter.origin.span, "would set it", "本应设置它"))
        if following is None:
            parts.append("which nothing sets" if setter is None else "but does not any more")
        elif following in seen:
            parts.append(f"and {_name(timeline, following)} is where this began")
        current = following
    return statement, ", ".join(parts), tuple(related[1:])


def _first_blocked(timeline: Timeline) -> Unit:
    for index in timeline.fronts:
        for one in units(index)[1:]:
            if timeline.pipe(one).waiting:
                return one
    for index, front in timeline.fronts.items():
        if front.waiting is not None:
            return unit(index, Pipe.S)
    raise AssertionError("a machine without events has a unit that waits")


def _head(timeline: Timeline, blocked: Unit) -> Any:
    """The statement that a blocked unit stands at."""
    queue = timeline.pipe(blocked).queue
    return queue[0].statement if blocked.pipe is not Pipe.S and queue else timeline.fronts[blocked.index].waiting


def _name(timeline: Timeline, blocked: Unit) -> str:
    return f"{timeline.slots[blocked.index].name} PIPE_{blocked.pipe.value}"


def _reason(timeline: Timeline, blocked: Unit, statement: Any) -> str:
    if isinstance(statement, WaitFlag):
        return f"flag {statement.source.value}->{statement.target.value} {text(statement.event)}"
    if isinstance(statement, MutexLock):
        return f"mutex {text(statement.id)}"
    if isinstance(statement, WaitCrossCore):
        return f"cross-core flag {text(statement.event)}"
    if isinstance(statement, SyncAll):
        return f"all {statement.cores} cores"
    if isinstance(statement, Barrier):
        return "its pipes to drain"
    return "room in a queue"


def _blocked(timeline: Timeline, blocked: Unit) -> bool:
    if blocked.pipe is Pipe.S:
        return timeline.front(blocked.index).waiting is not None
    return timeline.pipe(blocked).waiting


def _releaser(timeline: Timeline, blocked: Unit, statement: Any) -> Unit | None:
    """The blocked unit that keeps `statement` from being released."""
    index = blocked.index
    candidates: list[Unit] = []
    if isinstance(statement, WaitFlag):
        candidates = [unit(index, statement.source), unit(index, Pipe.S)]
    elif isinstance(statement, (WaitCrossCore, SyncAll)):
        candidates = [one for other in _other_cores(timeline, index, statement) for one in units(other)[::-1]]
    else:
        candidates = list(units(index)[::-1])
    return next((other for other in candidates if other is not blocked and _blocked(timeline, other)), None)


def _other_cores(timeline: Timeline, index: int, statement: WaitCrossCore | SyncAll) -> list[int]:
    if isinstance(statement, SyncAll):
        return [
            other
            for other, slot in enumerate(timeline.slots)
            if other != index and statement.cores in ("MIX", slot.kind.value)
        ]
    setters = timeline.cross_core.could_set(timeline.slots[index][:3], statement.mode)
    return [other for other, slot in enumerate(timeline.slots) if slot[:3] in setters]


def _setter(timeline: Timeline, blocked: Unit, statement: Any) -> Any:
    """The set that would release a wait for a flag within the core, where the program has one."""
    program = timeline.fronts[blocked.index].program
    if not isinstance(statement, WaitFlag) or program is None:
        return None
    wanted = (statement.source, statement.target, statement.event)
    for step in program.steps:
        other = step.statement
        if (
            isinstance(step, Leaf)
            and isinstance(other, SetFlag)
            and (other.source, other.target, other.event) == wanted
        ):
            return other
    return None
