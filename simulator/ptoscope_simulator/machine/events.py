"""What the machine tells its observers, in the order in which it happens. Times are cycles of the core clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ptoscope_compiler.diagnostics.diagnostic import Diagnostic
from ptoscope_compiler.hardware import Pipe


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A core begins a core program: call `index` of its `Tasks` at `grid`, or its part of a launch (index -1)."""

    cycle: int
    core: str
    program: str
    index: int
    grid: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CallFinished:
    cycle: int
    core: str
    program: str


@dataclass(frozen=True, slots=True)
class InstructionStarted:
    """`number` counts instructions in the order of issue; `statement` carries opcode and origin."""

    cycle: int
    core: str
    pipe: Pipe
    number: int
    statement: Any


@dataclass(frozen=True, slots=True)
class InstructionFinished:
    cycle: int
    core: str
    pipe: Pipe
    number: int
    statement: Any


@dataclass(frozen=True, slots=True)
class Synchronised:
    """A flag was set or taken, a mutex locked or unlocked, a barrier passed."""

    cycle: int
    core: str
    pipe: Pipe
    statement: Any


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pipe (S: the whole issue of the core) cannot go on at `statement`."""

    cycle: int
    core: str
    pipe: Pipe
    statement: Any


@dataclass(frozen=True, slots=True)
class Printed:
    cycle: int
    core: str
    text: str
    statement: Any


@dataclass(frozen=True, slots=True)
class HazardFound:
    cycle: int
    core: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Finished:
    """The program is over."""

    cycle: int


Event = (
    CallStarted
    | CallFinished
    | InstructionStarted
    | InstructionFinished
    | Synchronised
    | Waiting
    | Printed
    | HazardFound
    | Finished
)
