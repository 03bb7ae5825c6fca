"""The issue of a core: it walks the program, runs what is scalar itself and queues the rest on the pipes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptoscope_compiler.hardware import Pipe
from ptoscope_compiler.pto.program import (
    Assign,
    Barrier,
    Instruction,
    MutexLock,
    MutexUnlock,
    Print,
    ReadElement,
    SetCrossCore,
    SetFlag,
    SyncAll,
    WaitCrossCore,
    WaitFlag,
    WriteElement,
)

from .cells import cells_of
from .code import Jump, Leaf, LoopNext, next_place
from .cost import instruction_cycles
from .events import InstructionFinished, InstructionStarted, Printed, Synchronised, Waiting
from .faults import budget_exceeded
from .hazards import joined
from .operands import ScalarOperand, TileOperand, WindowOperand, prepare
from .printing import formatted
from .scalars import Variables, evaluator, evaluator_of_all
from .states import PIPES, FrontState, Item, unit

if TYPE_CHECKING:
    from .timeline import Timeline

_QUEUE_DEPTH = 32
_PER_CORE_WAIT_ARCH = "3510"
"""From the 950 on a wait for another core stops one pipe; before, it stops the whole core (`wait_flag_dev`)."""
STOP = -1


class FrontEnd:
    """Performs the events of the S unit of every core."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline

    def statement(self, index: int) -> Any:
        """The statement that a core is at."""
        front = self.timeline.fronts[index]
        assert front.program is not None
        place = min(front.place, len(front.program.steps) - 1)
        return front.program.steps[place].statement if front.program.steps else front.program.program

    def proceed(self, index: int, cycle: int) -> None:
        """Go on up to and including the next statement that is not control flow."""
        front = self.timeline.fronts[index]
        if front.program is None:
            return
        assert front.core is not None
        steps = front.program.steps
        while front.place < len(steps):
            step = steps[front.place]
            if isinstance(step, Leaf):
                self._leaf(index, front, step.statement, cycle)
                return
            fuel = front.fuel
            if isinstance(step, (Jump, LoopNext)) and step.weight:
                fuel -= step.weight
                if fuel < 0:
                    raise budget_exceeded(step.statement, self.timeline.step_budget)
            place = next_place(step, front.place, front.core.variables)
            front = self.timeline.fronts[index] = front._replace(place=place, fuel=fuel)

    def _leaf(self, index: int, front: FrontState, statement: Any, cycle: int) -> None:
        timeline = self.timeline
        cycles = self._perform(index, front, statement, cycle)
        front = timeline.fronts[index]
        if cycles == STOP:
            if front.waiting is not statement:
                timeline.fronts[index] = front._replace(waiting=statement)
                timeline.emit(Waiting(cycle, timeline.slots[index].name, Pipe.S, statement))
            return
        timeline.fronts[index] = front._replace(place=front.place + 1, waiting=None)
        timeline.agenda[unit(index, Pipe.S)] = cycle + cycles

    def _perform(self, index: int, front: FrontState, statement: Any, cycle: int) -> int:
        """The cycles that the statement keeps the issue busy; STOP where it cannot be passed yet."""
        assert front.core is not None
        variables = front.core.variables
        if isinstance(statement, Assign):
            variables[statement.name] = evaluator(statement.value)(variables)
            return 1
        if isinstance(statement, Instruction):
            return self._instruction(index, front, statement, cycle)
        if isinstance(statement, (ReadElement, WriteElement)):
            return self._element(index, front, statement, cycle)
        if isinstance(statement, Print):
            text = formatted(statement, front.core)
            self.timeline.emit(Printed(cycle, self.timeline.slots[index].name, text, statement))
            return 1
        if isinstance(statement, SyncAll):
            return self._sync_all(index, front, statement, cycle)
        if isinstance(statement, Barrier) and statement.pipe is Pipe.ALL:
            return self._drain(index, front, statement, cycle)
        return self._synchronise(index, front, statement, cycle)

    def _synchronise(self, index: int, front: FrontState, statement: Any, cycle: int) -> int:
        """Runs what concerns the scalar pipe, and queues what concerns another."""
        timeline, pipe = self.timeline, _pipe_of(statement)
        stops_core = isinstance(statement, WaitCrossCore) and timeline.target.arch != _PER_CORE_WAIT_ARCH
        if pipe is not Pipe.S and not stops_core:
            return self._queue(index, front, pipe, statement, cycle)
        item = self._item(index, front, statement)
        clock = timeline.pipeline.synchronise(index, Pipe.S, item, joined(front.clock), cycle)
        if clock is None:
            return STOP
        timeline.fronts[index] = timeline.fronts[index]._replace(clock=clock)
        timeline.wake(index, cycle)
        return 1

    def _queue(self, index: int, front: FrontState, pipe: Pipe, statement: Any, cycle: int) -> int:
        timeline, queue = self.timeline, unit(index, pipe)
        state = timeline.pipe(queue)
        if len(state.queue) >= _QUEUE_DEPTH:
            return STOP
        timeline.pipes[queue] = state._replace(queue=(*state.queue, self._item(index, front, statement)))
        if state.running is None and not state.queue:
            timeline.agenda[queue] = cycle
        return 1

    def _item(self, index: int, front: FrontState, statement: Any) -> Item:
        timeline = self.timeline
        assert front.core is not None
        variables = Variables(front.core.variables, front.core.read_element)
        timeline.state["number"] = number = timeline.state["number"] + 1
        ticket = timeline.pipeline.ticket(index, statement, variables) if isinstance(statement, MutexLock) else 0
        return Item(statement, number, front.core.at_issue(variables), front.clock, ticket)

    def _instruction(self, index: int, front: FrontState, statement: Instruction, cycle: int) -> int:
        timeline = self.timeline
        assert front.program is not None and front.core is not None
        prepared = front.program.prepared(statement)
        makes_scalar = any(isinstance(operand, ScalarOperand) for operand in prepared.outputs)
        if statement.pipe is not Pipe.S and not makes_scalar:
            return self._queue(index, front, statement.pipe, statement, cycle)
        if makes_scalar and not timeline.pipe(unit(index, statement.pipe)).is_idle:
            return STOP
        clock = joined(front.clock, timeline.pipe(unit(index, statement.pipe)).clock)
        item = self._item(index, front, statement)
        clock = timeline.pipeline.note_access(unit(index, Pipe.S), prepared, item, clock)
        name = timeline.slots[index].name
        timeline.emit(InstructionStarted(cycle, name, statement.pipe, item.number, statement))
        cycles = instruction_cycles(prepared, front.core)
        timeline.pipeline.write(prepared, front.core, prepared.compute(front.core))
        timeline.emit(InstructionFinished(cycle + cycles, name, statement.pipe, item.number, statement))
        timeline.fronts[index] = timeline.fronts[index]._replace(clock=clock)
        return cycles

    def _element(self, index: int, front: FrontState, statement: ReadElement | WriteElement, cycle: int) -> int:
        timeline, core = self.timeline, front.core
        assert core is not None
        operand = prepare(statement.source if isinstance(statement, ReadElement) else statement.target)
        assert isinstance(operand, (TileOperand, WindowOperand))
        place = tuple(map(int, evaluator_of_all(statement.indices)(core.variables)))
        cells = cells_of(operand, core, operand.element_extent(core))
        touched = [] if cells is None else [cells.element(place)]
        is_read = isinstance(statement, ReadElement)
        reads = [(operand.operand, cell) for cell in touched] if is_read else []
        item = self._item(index, front, statement)
        clock = timeline.pipeline.note(unit(index, Pipe.S), item, front.clock, reads, [] if is_read else touched)
        if isinstance(statement, ReadElement):
            core.variables[statement.name] = operand.element(core, place)
        else:
            timeline.pipeline.keep(operand, core)
            operand.set_element(core, place, evaluator(statement.value)(core.variables))
        timeline.fronts[index] = timeline.fronts[index]._replace(clock=clock)
        return 1

    def _drain(self, index: int, front: FrontState, statement: Barrier, cycle: int) -> int:
        timeline = self.timeline
        if not timeline.is_drained(index):
            return STOP
        timeline.fronts[index] = front._replace(clock=timeline.clock_of_core(index))
        timeline.emit(Synchronised(cycle, timeline.slots[index].name, Pipe.ALL, statement))
        return 1

    def _sync_all(self, index: int, front: FrontState, statement: SyncAll, cycle: int) -> int:
        """Drain, then wait until every core that the barrier names has arrived."""
        timeline = self.timeline
        slot = timeline.slots[index]
        if statement.cores not in ("MIX", slot.kind.value):
            return 1
        if front.arrived:  # the last one to arrive has let everybody go
            timeline.fronts[index] = front._replace(arrived=False)
            return 1
        if not timeline.is_drained(index):
            return STOP
        others = [
            other
            for other in timeline.fronts
            if other != index and statement.cores in ("MIX", timeline.slots[other].kind.value)
        ]
        standing = [other for other in others if isinstance(timeline.fronts[other].waiting, SyncAll)]
        if len(standing) < len(others) or not all(timeline.is_drained(other) for other in standing):
            return STOP
        clock = joined(*(timeline.clock_of_core(core) for core in (index, *others)))
        for other in others:
            timeline.fronts[other] = timeline.fronts[other]._replace(clock=clock, arrived=True)
            timeline.agenda[unit(other, Pipe.S)] = cycle
        timeline.fronts[index] = front._replace(clock=clock)
        timeline.emit(Synchronised(cycle, slot.name, Pipe.ALL, statement))
        return 1


def _pipe_of(statement: Any) -> Pipe:
    if isinstance(statement, SetFlag):
        return statement.source
    if isinstance(statement, WaitFlag):
        return statement.target
    assert isinstance(statement, (Barrier, MutexLock, MutexUnlock, SetCrossCore, WaitCrossCore))
    return statement.pipe if statement.pipe in PIPES else Pipe.S
