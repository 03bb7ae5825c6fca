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
from .memory import VECTOR_CORES_OF_BLOCK, BlockMemory, Chip
from .pipeline import Pipeline
from .schedule import Schedule, Task
from .states import PIPES, SCHEDULER, FrontState, LoggedProgram, PipeState, Slot, Unit, unit, units

Observer = Callable[[Event], None]


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
        most_cores = max(target.cube_cores + target.vector_cores, (1 + VECTOR_CORES_OF_BLOCK) * block_num)
        self.no_clock: Clock = np.zeros(most_cores * len(PIPES), np.int32)
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
        self.agenda[SCHEDULER] = 0

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
        due = min(self.agenda, key=self._order)
        self.state["cycle"] = cycle = max(self.cycle, self.agenda[due])
        del self.agenda[due]
        with np.errstate(all="ignore"):
            self._perform(due, cycle)
        return True

    def step_back(self) -> bool:
        """Undo the last event; False where the history does not reach back further."""
        return self.journal.undo()

    def _order(self, due: Unit) -> tuple[int, int]:
        tie = due.number
        if self.seed:
            tie = ((tie + 2) * 2654435761 + self.seed * 40503) & 0xFFFF_FFFF
        return self.agenda[due], tie

    def _perform(self, due: Unit, cycle: int) -> None:
        if due is SCHEDULER:
            self.dispatcher.proceed(cycle)
            return
        statement, core = self._subject(due)
        try:
            if due.pipe is Pipe.S:
                self.frontend.proceed(due.index, cycle)
            else:
                self.pipeline.proceed(due, cycle)
        except MachineError:
            raise
        except Exception as error:
            raise fault(statement(), error, core) from error
        self._finish_call(due.index, cycle)

    def _subject(self, due: Unit) -> tuple[Callable[[], Any], Core | None]:
        """What an error in this event would be about."""
        if due.pipe is Pipe.S:
            return lambda: self.frontend.statement(due.index), self.fronts[due.index].core
        state = self.pipe(due)
        item = state.running.item if state.running is not None else state.queue[0]
        return lambda: item.statement, item.core

    def pipe(self, unit: Unit) -> PipeState:
        return self.pipes.get(unit) or PipeState(self.no_clock)

    def front(self, index: int) -> FrontState:
        return self.fronts.get(index) or FrontState(self.no_clock)

    def is_drained(self, index: int) -> bool:
        """Whether every pipe of a core is idle."""
        states = (self.pipes.get(one) for one in units(index))
        return all(state is None or state.is_idle for state in states)

    def clock_of_core(self, index: int) -> Clock:
        """What is known once every pipe of a core is drained."""
        return joined(self.fronts[index].clock, *(self.pipes[one].clock for one in units(index) if one in self.pipes))

    def wake(self, index: int, cycle: int) -> None:
        """Let whatever waits on a core look again."""
        issue, *pipes = units(index)
        for one in pipes:
            state = self.pipes.get(one)
            if state is not None and state.queue and state.running is None and one not in self.agenda:
                self.agenda[one] = cycle
        front = self.fronts.get(index)
        if front is not None and front.waiting is not None and issue not in self.agenda:
            self.agenda[issue] = cycle

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
        self.fronts[index] = FrontState(clock, core, self.programs[name], task, 0, self.step_budget)
        self.agenda[unit(index, Pipe.S)] = cycle
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
        self.agenda[SCHEDULER] = cycle

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
