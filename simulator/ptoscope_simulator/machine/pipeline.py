"""The pipes of a core: in-order queues of instructions, flags, mutexes and barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptoscope_compiler.hardware import Pipe
from ptoscope_compiler.pto.program import (
    Barrier,
    Instruction,
    MutexLock,
    MutexUnlock,
    SetCrossCore,
    SetFlag,
    WaitCrossCore,
    WaitFlag,
)

from ..numerics import numpy_dtype
from .cells import Cells, cells_of
from .core import Core
from .cost import instruction_cycles
from .events import InstructionFinished, InstructionStarted, Synchronised, Waiting
from .faults import memory_size, out_of_bounds
from .hazards import CROSS_CORE_COUNTER, Access, Clock, joined
from .instruction import PreparedInstruction
from .operands import TileOperand, WindowOperand
from .scalars import Variables, evaluator
from .states import Item, PipeState, Running, Unit

if TYPE_CHECKING:
    from .timeline import Timeline


class Pipeline:
    """Performs the events of every pipe but S, and what S shares with them."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline

    def proceed(self, unit: Unit, cycle: int) -> None:
        """End the instruction under way, or start what is at the head of the queue."""
        state = self.timeline.pipe(unit)
        if state.running is not None:
            self._end(unit, state, state.running, cycle)
        elif state.queue:
            item = state.queue[0]
            if isinstance(item.statement, Instruction):
                self._start(unit, state, item, cycle)
            else:
                self._pass(unit, state, item, cycle)

    def _start(self, unit: Unit, state: PipeState, item: Item, cycle: int) -> None:
        timeline, index = self.timeline, unit.index
        program = timeline.fronts[index].program
        assert program is not None
        prepared = program.prepared(item.statement)
        rest = state._replace(queue=state.queue[1:], waiting=False)
        if not self._is_inside(prepared, item, index):
            timeline.pipes[unit] = rest
            timeline.agenda[unit] = cycle
            return
        clock = self.note_access(unit, prepared, item, joined(state.clock, item.clock))
        results = prepared.compute(item.core)
        end = cycle + instruction_cycles(prepared, item.core)
        timeline.pipes[unit] = rest._replace(running=Running(item, prepared, results, end), clock=clock)
        timeline.agenda[unit] = end
        name = timeline.slots[index].name
        timeline.emit(InstructionStarted(cycle, name, unit.pipe, item.number, item.statement))
        timeline.wake(index, cycle)

    def _end(self, unit: Unit, state: PipeState, running: Running, cycle: int) -> None:
        timeline, index = self.timeline, unit.index
        self.write(running.prepared, running.item.core, running.results)
        timeline.pipes[unit] = state._replace(running=None)
        if state.queue:
            timeline.agenda[unit] = cycle
        item = running.item
        timeline.emit(InstructionFinished(cycle, timeline.slots[index].name, unit.pipe, item.number, item.statement))
        timeline.wake(index, cycle)

    def _pass(self, unit: Unit, state: PipeState, item: Item, cycle: int) -> None:
        timeline, index, pipe = self.timeline, unit.index, unit.pipe
        clock = self.synchronise(index, pipe, item, joined(state.clock, item.clock), cycle)
        if clock is None:
            if not state.waiting:
                timeline.pipes[unit] = state._replace(waiting=True)
                timeline.emit(Waiting(cycle, timeline.slots[index].name, pipe, item.statement))
            return
        timeline.pipes[unit] = PipeState(clock, state.queue[1:])
        if len(state.queue) > 1:
            timeline.agenda[unit] = cycle
        timeline.wake(index, cycle)

    def synchronise(self, index: int, pipe: Pipe, item: Item, clock: Clock, cycle: int) -> Clock | None:
        """Pass a flag, mutex or barrier: the clock after it; None where it cannot be passed yet."""
        statement = item.statement
        passed: Clock | None = clock
        if isinstance(statement, SetFlag):
            self._set_flag(index, statement, item, clock)
        elif isinstance(statement, WaitFlag):
            passed = self._take_flag(index, statement, item, clock)
        elif isinstance(statement, MutexLock):
            passed = self._lock(index, pipe, statement, item, clock)
        elif isinstance(statement, MutexUnlock):
            self._unlock(index, statement, item, clock)
        elif isinstance(statement, SetCrossCore):
            self._set_cross_core(index, statement, item, clock, cycle)
        elif isinstance(statement, WaitCrossCore):
            passed = self._take_cross_core(index, statement, item, clock)
        else:
            assert isinstance(statement, Barrier)
        if passed is not None:
            timeline = self.timeline
            timeline.emit(Synchronised(cycle, timeline.slots[index].name, pipe, statement))
        return passed

    def _set_flag(self, index: int, statement: SetFlag, item: Item, clock: Clock) -> None:
        timeline = self.timeline
        event = _number(statement.event, item)
        key = (index, statement.source, statement.target, event)
        waiting = timeline.tokens.get(key, ())
        if waiting:
            flag = f"{statement.source.value}->{statement.target.value} {event}"
            timeline.hazards.flag_set_twice(timeline.slots[index].name, statement, flag)
        timeline.tokens[key] = (*waiting, clock)
        timeline.setters[key] = statement

    def _take_flag(self, index: int, statement: WaitFlag, item: Item, clock: Clock) -> Clock | None:
        key = (index, statement.source, statement.target, _number(statement.event, item))
        tokens = self.timeline.tokens.get(key, ())
        if not tokens:
            return None
        self.timeline.tokens[key] = tokens[1:]
        return joined(clock, tokens[0])

    def ticket(self, index: int, statement: MutexLock, variables: Variables) -> int:
        """The turn of a lock: how many locks of its id this core issued before. S asks again while it waits."""
        key = (index, int(evaluator(statement.id)(variables)))
        issued, released, scalar, known = self.timeline.mutexes.get(key, (0, 0, None, self.timeline.no_clock))
        if statement.pipe is Pipe.S and scalar is not None:
            return int(scalar)
        kept = issued if statement.pipe is Pipe.S else scalar
        self.timeline.mutexes[key] = (issued + 1, released, kept, known)
        return int(issued)

    def _lock(self, index: int, pipe: Pipe, statement: MutexLock, item: Item, clock: Clock) -> Clock | None:
        key = (index, _number(statement.id, item))
        issued, released, scalar, known = self.timeline.mutexes[key]
        if released < item.ticket:
            return None
        if pipe is Pipe.S:
            self.timeline.mutexes[key] = (issued, released, None, known)
        return joined(clock, known)

    def _unlock(self, index: int, statement: MutexUnlock, item: Item, clock: Clock) -> None:
        key = (index, _number(statement.id, item))
        issued, released, scalar, known = self.timeline.mutexes.get(key, (0, 0, None, self.timeline.no_clock))
        self.timeline.mutexes[key] = (issued, released + 1, scalar, joined(known, clock))

    def _set_cross_core(self, index: int, statement: SetCrossCore, item: Item, clock: Clock, cycle: int) -> None:
        timeline, slot = self.timeline, self.timeline.slots[index]
        event = _number(statement.event, item)
        channel = self._channel(index, statement.mode, event)
        timeline.sent[channel] = joined(timeline.sent.get(channel, timeline.no_clock), clock)
        flags = timeline.cross_core
        for receiver in flags.set(slot[:3], statement.mode, event):
            count = flags.tokens[flags.token(receiver, slot[:3], statement.mode, event)]
            if count > CROSS_CORE_COUNTER:
                timeline.hazards.cross_core_overflow(slot.name, statement, event, count)
            timeline.wake(next(i for i, other in enumerate(timeline.slots) if other[:3] == receiver), cycle)

    def _take_cross_core(self, index: int, statement: WaitCrossCore, item: Item, clock: Clock) -> Clock | None:
        timeline, event = self.timeline, _number(statement.event, item)
        if not timeline.cross_core.take(timeline.slots[index][:3], statement.mode, event):
            return None
        return joined(clock, timeline.sent.get(self._channel(index, statement.mode, event), timeline.no_clock))

    def _channel(self, index: int, mode: str, event: int) -> Any:
        """Who shares what it knows by a flag: the cores of a block, or all of them."""
        return (mode, event % 16, None if mode == "inter_block" else self.timeline.slots[index].block)

    def note_access(self, unit: Unit, prepared: PreparedInstruction, item: Item, clock: Clock) -> Clock:
        """Check and note what an instruction reads and writes; the clock with this access on it."""
        core, reads, writes = item.core, [], []
        semantics = prepared.semantics
        for position, operand in enumerate(prepared.inputs):
            if position in semantics.whole:
                continue  # reads bytes that hold no data, too
            takes_window = position == semantics.window_in
            shape = prepared.window_extent(core) if takes_window else operand.extent(core)
            cells = cells_of(operand, core, shape, prepared.corner(core) if takes_window else ())
            if cells is not None:
                reads.append((None if prepared.uses_registers else operand.operand, cells))
        for position, operand in enumerate(prepared.outputs):
            places_window = position == 0 and semantics.window_out is not None
            shape = prepared.inputs[semantics.window_out or 0].extent(core) if places_window else operand.extent(core)
            cells = cells_of(operand, core, shape, prepared.corner(core) if places_window else ())
            if cells is not None:
                writes.append(cells)
        return self.note(unit, item, clock, reads, writes)

    def note(self, unit: Unit, item: Item, clock: Clock, reads: list[tuple[Any, Cells]], writes: list[Cells]) -> Clock:
        """Check and note one access of `unit`; the clock with it on it."""
        timeline = self.timeline
        stamp = int(clock[unit.number]) + 1
        advanced: Clock = clock.copy()
        advanced[unit.number] = stamp
        access = Access(unit, stamp, item.number, item.statement, timeline.slots[unit.index].name)
        timeline.hazards.access(access, advanced, reads, writes, timeline.is_written_from_the_start)
        return advanced

    def write(self, prepared: PreparedInstruction, core: Core, results: tuple[Any, ...]) -> None:
        """Store results, keeping the old bytes."""
        for operand in prepared.outputs:
            if isinstance(operand, (TileOperand, WindowOperand)):
                self.keep(operand, core)
        prepared.write(core, results)

    def keep(self, operand: TileOperand | WindowOperand, core: Core) -> None:
        """Keep the bytes of an operand that is about to be written."""
        journal = self.timeline.journal
        if isinstance(operand, TileOperand):
            start = operand.start(core)
            stop = max(operand.footprint(core, operand.type.shape).stop, start + operand.type.bytes)
            journal.cells(core.memory[operand.space], slice(start, stop))
            return
        cells = cells_of(operand, core, operand.extent(core))
        buffer = core.buffers[operand.buffer]
        if cells is None:
            journal.cells(buffer.bytes, slice(None))
        else:
            journal.cells(buffer.bytes.view(numpy_dtype(buffer.dtype)), cells.indices)

    def _is_inside(self, prepared: PreparedInstruction, item: Item, index: int) -> bool:
        """Check bounds and alignment of every operand; False where the instruction must be skipped."""
        timeline, name = self.timeline, self.timeline.slots[index].name
        for operand in (*prepared.inputs, *prepared.outputs):
            if not isinstance(operand, (TileOperand, WindowOperand)):
                continue
            footprint = operand.footprint(item.core)
            size = memory_size(item.core, footprint.memory)
            if footprint.start < 0 or footprint.stop > size:
                error = out_of_bounds(item.statement, operand.operand, footprint, size)
                if timeline.checks.oob == "raise":
                    raise error
                timeline.hazards.found(name, error.diagnostic, timeline.checks.oob, ("oob", item.statement.origin.span))
                return False
            if isinstance(operand, TileOperand):
                alignment = timeline.target.alignment(operand.space)
                if footprint.start % alignment:
                    timeline.hazards.misaligned(
                        name, item.statement, operand.operand, footprint.start, operand.space, alignment
                    )
        return True


def _number(scalar: Any, item: Item) -> int:
    return int(evaluator(scalar)(item.core.variables))
