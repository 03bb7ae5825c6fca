"""What the logged machine knows of each core and pipe: immutable records, replaced as a whole when they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ptoscope_compiler.hardware import CoreKind, Pipe
from ptoscope_compiler.pto.program import CoreProgram, Instruction

from ..instructions.registry import Architecture
from .code import Step, lay_out
from .core import Core
from .hazards import Clock
from .instruction import PreparedInstruction
from .memory import CoreMemory
from .schedule import Task

PIPES = (Pipe.S, Pipe.MTE2, Pipe.MTE1, Pipe.M, Pipe.V, Pipe.FIX, Pipe.MTE3)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A pipe of core `index`; S is the core's issue of instructions together with its scalar pipe. There is one object
    for each, so that it can be a key at no cost; `number` counts them."""

    index: int
    pipe: Pipe
    number: int


SCHEDULER = Unit(-1, Pipe.S, -1)
_UNITS: list[tuple[Unit, ...]] = []


def units(index: int) -> tuple[Unit, ...]:
    """The units of a core, S first."""
    while len(_UNITS) <= index:
        core = len(_UNITS)
        _UNITS.append(tuple(Unit(core, pipe, core * len(PIPES) + place) for place, pipe in enumerate(PIPES)))
    return _UNITS[index]


def unit(index: int, pipe: Pipe) -> Unit:
    """One unit of a core."""
    return units(index)[PIPES.index(pipe)]


class Slot(NamedTuple):
    """A physical core."""

    kind: CoreKind
    block: int
    sub: int
    name: str
    memory: CoreMemory


class Item(NamedTuple):
    """A statement in the queue of a pipe, with the core as it was when the statement was issued.

    `ticket` is the turn of a mutex lock: how many locks of its id were issued before.
    """

    statement: Any
    number: int
    core: Core
    clock: Clock
    ticket: int = 0


class Running(NamedTuple):
    """An instruction under way: its results are computed, and written at cycle `end`."""

    item: Item
    prepared: PreparedInstruction
    results: tuple[Any, ...]
    end: int


class PipeState(NamedTuple):
    """An in-order queue. `waiting` is set while its head cannot start."""

    clock: Clock
    queue: tuple[Item, ...] = ()
    running: Running | None = None
    waiting: bool = False

    @property
    def is_idle(self) -> bool:
        return not self.queue and self.running is None


class FrontState(NamedTuple):
    """The issue of a core. `program` is None while the core is free; `waiting` is the statement it cannot pass."""

    clock: Clock
    core: Core | None = None
    program: LoggedProgram | None = None
    task: Task | None = None
    place: int = 0
    fuel: int = 0
    waiting: Any = None
    arrived: bool = False


class LoggedProgram:
    """A core program as steps, its instructions prepared when first reached."""

    def __init__(self, program: CoreProgram, target: Architecture) -> None:
        self.program = program
        self.steps: list[Step] = lay_out(program.body)
        self._target = target
        self._prepared: dict[Instruction, PreparedInstruction] = {}

    def prepared(self, statement: Instruction) -> PreparedInstruction:
        found = self._prepared.get(statement)
        if found is None:
            found = self._prepared[statement] = PreparedInstruction(statement, self._target)
        return found
