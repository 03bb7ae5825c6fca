"""The logged path: cores with in-order pipes in simulated time, every event told to observers and undoable.

The issue of a core walks its program and puts each statement into the queue of its pipe; pipes run side by side and
stop at flags, mutexes and barriers. An instruction reads and computes when it starts and writes when it ends, so that a
missing flag shows in the results as it would on the chip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic
from ptoscope_compiler.hardware import CoreKind, Pipe
from ptoscope_compiler.pto.program import PtoProgram

from .blocked import explain
from .cells import Cells
from .core import Core
from .dispatch import Dispatcher
from .errors import MachineError
from .events import CallFinished, CallStarted, Event, Finished, HazardFound
from .faults import deadlock, fault
from .flags import CrossCoreFlags, EventFlags
from .frontend import FrontEnd
from .hazards import Checks, Clock, Hazards, joined
from .journal import Journal, JournaledDict, JournaledVariables
from .launch import Launched
from .memory import BlockMemory, Chip
from .pipeline import Pipeline
from .schedule import Schedule, Task
from .states import PIPES, FrontState, LoggedProgram, PipeState, Slot, Unit

Observer = Callable[[Event], None]
SCHEDULER = -1


class Timeline:
    """One run of a program. `step` performs the next event, `step_back` undoes the last one."""

    def __init__(
        self,
        program: PtoProgram,
        target: Chip,
        launched: Launched,
        block_num: int = 1,
        checks: Checks = Checks(),  # noqa: B008 (immutable)
        seed: int = 0,
        step_budget: int = 20_000_000,
        observers: Iterable[Observer] = (),
        undo_limit: int = 10_000,
    ) -> None:
        self.program = program
        self.target = target
        self.launched = launched
        self.block_num = block_num
        self.checks = checks
        self.seed = seed
        self.step_budget = step_budget
        self.observers = list(observers)
        self.journal = Journal(undo_limit)
        self.schedule = Schedule(program, step_budget)
        self.programs = {name: LoggedProgram(core, target) for name, core in program.cores.items()}
        self.variables = JournaledVariables(dict(launched.variables), launched.variables.read, self.journal)
        self.slots: list[Slot] = []
        self.blocks: dict[int, BlockMemory] = {}
        self.fronts: JournaledDict[int, FrontState] = JournaledDict(self.journal)
        self.pipes: JournaledDict[Unit, PipeState] = JournaledDict(self.journal)
        self.agenda: JournaledDict[Unit, int] = JournaledDict(self.journal)
        self.state: JournaledDict[str, Any] = JournaledDict(self.journal)
        self.tokens: JournaledDict[Any, tuple[Clock, ...]] = JournaledDict(self.journal)
        self.setters: JournaledDict[Any, Any] = JournaledDict(self.journal)
        self.mutexes: JournaledDict[Any, Any] = JournaledDict(self.journal)
        self.cross_core = CrossCoreFlags((), JournaledDict(self.journal), JournaledDict(self.journal))
        self.sent: JournaledDict[Any, Clock] = JournaledDict(self.journal)
        self.hazards = Hazards(checks, self.journal, self._hazard)
        self.frontend = FrontEnd(self)
        self.pipeline = Pipeline(self)
        self.dispatcher = Dispatcher(self)
        self.state.update(cycle=0, finished=False, number=0)
        self.agenda[SCHEDULER, Pipe.S] = 0

    @property
    def cycle(self) -> int:
        """The time of the last event."""
        return int(self.state["cycle"])

    @property
    def is_finished(self) -> bool:
        return bool(self.state["finished"])

    def run(self) -> int:
        """Run to the end; the cycles taken. MachineError for a fault of the program, also where it stops for ever."""
        while self.step():
            pass
        return self.cycle

    def step(self) -> bool:
        """Perform the next event; False once the program is over."""
        if self.is_finished:
            return False
        self.journal.begin()
        if not self.agenda:
            raise self._deadlock()
        unit = min(self.agenda, key=self._order)
        self.state["cycle"] = cycle = max(self.cycle, self.agenda[unit])
        del self.agenda[unit]
        with np.errstate(all="ignore"):
            self._perform(unit, cycle)
        return True

    def step_back(self) -> bool:
        """Undo the last event; False where the history does not reach back further."""
        return self.journal.undo()

    def _order(self, unit: Unit) -> tuple[int, int]:
        index, pipe = unit
        tie = (index + 1) * len(PIPES) + PIPES.index(pipe)
        if self.seed:
            tie = (tie * 2654435761 + self.seed * 40503) & 0xFFFF_FFFF
        return self.agenda[unit], tie

    def _perform(self, unit: Unit, cycle: int) -> None:
        index, pipe = unit
        if index == SCHEDULER:
            self.dispatcher.proceed(cycle)
            return
        statement, core = self._subject(unit)
        try:
            if pipe is Pipe.S:
                self.frontend.proceed(index, cycle)
            else:
                self.pipeline.proceed(unit, cycle)
        except MachineError:
            raise
        except Exception as error:
            raise fault(statement(), error, core) from error
        self._finish_call(index, cycle)

    def _subject(self, unit: Unit) -> tuple[Callable[[], Any], Core | None]:
        """What an error in this event would be about."""
        index, pipe = unit
        if pipe is Pipe.S:
            return lambda: self.frontend.statement(index), self.fronts[index].core
        running = self.pipe(unit).running
        item = running.item if running is not None else self.pipe(unit).queue[0]
        return lambda: item.statement, item.core

    def pipe(self, unit: Unit) -> PipeState:
        return self.pipes.get(unit, PipeState())

    def is_drained(self, index: int) -> bool:
        """Whether every pipe of a core is idle."""
        return all(self.pipe((index, pipe)).is_idle for pipe in PIPES)

    def clock_of_core(self, index: int) -> Clock:
        """What is known once every pipe of a core is drained."""
        return joined(self.fronts[index].clock, *(self.pipe((index, pipe)).clock for pipe in PIPES))

    def wake(self, index: int, cycle: int) -> None:
        """Let whatever waits on a core look again."""
        for pipe in PIPES[1:]:
            unit = (index, pipe)
            state = self.pipe(unit)
            if state.queue and state.running is None and unit not in self.agenda:
                self.agenda[unit] = cycle
        front = self.fronts.get(index)
        if front is not None and front.waiting is not None and (index, Pipe.S) not in self.agenda:
            self.agenda[index, Pipe.S] = cycle

    def emit(self, event: Event) -> None:
        for observer in self.observers:
            observer(event)

    def _hazard(self, core: str, finding: Diagnostic) -> None:
        self.emit(HazardFound(self.cycle, core, finding))

    def is_written_from_the_start(self, cells: Cells) -> bool:
        """Whether a memory holds data before anything ran: parameters do, workspace and on-chip memory do not."""
        return not cells.is_on_chip and any(cells.key[1] == parameter.name for parameter in self.program.parameters)

    def add_slot(self, kind: CoreKind, block: int, sub: int, name: str) -> int:
        """A core that exists from now on; its index."""
        for index, slot in enumerate(self.slots):
            if slot[:3] == (kind, block, sub):
                return index
        shared = self.blocks.setdefault(block, BlockMemory(self.target.capacity))
        self.slots.append(Slot(kind, block, sub, name, shared.core(kind, sub)))
        return len(self.slots) - 1

    def begin_call(
        self, index: int, name: str, values: dict[Any, Any], buffers: Any, task: Task | None, clock: Clock, cycle: int
    ) -> None:
        """Core `index` starts core program `name`."""
        slot = self.slots[index]
        core = Core(slot.kind, slot.memory, EventFlags(), slot.block, slot.sub)
        core.registers = JournaledDict(self.journal)
        core.buffers = buffers
        core.variables = JournaledVariables(values, core.read_element, self.journal)
        self.hazards.forget_core(core)
        self.fronts[index] = FrontState(core, self.programs[name], task, 0, self.step_budget, clock)
        self.agenda[index, Pipe.S] = cycle
        call_index, grid = (task.index, task.grid) if task else (-1, ())
        self.emit(CallStarted(cycle, slot.name, name, call_index, grid))

    def _finish_call(self, index: int, cycle: int) -> None:
        """Free a core whose program is over and whose pipes are drained."""
        front = self.fronts[index]
        if front.program is None or front.place < len(front.program.steps) or not self.is_drained(index):
            return
        self._report_left_flags(index)
        self.emit(CallFinished(cycle, self.slots[index].name, front.program.program.name))
        clock = self.clock_of_core(index)
        self.fronts[index] = FrontState(clock=clock)
        self.dispatcher.call_finished(front.task, clock)
        self.agenda[SCHEDULER, Pipe.S] = cycle

    def _report_left_flags(self, index: int) -> None:
        for key in [key for key in self.tokens if key[0] == index and self.tokens[key]]:
            _, source, target, event = key
            flag = f"{source.value}->{target.value} {event}"
            self.hazards.flag_never_awaited(self.slots[index].name, self.setters[key], flag)
            self.tokens[key] = ()

    def finish(self, cycle: int) -> None:
        """The scheduler has nothing left to do."""
        self.state["finished"] = True
        self.emit(Finished(cycle))

    def _deadlock(self) -> MachineError:
        statement, chain, related = explain(self)
        return deadlock(statement, chain, related)
