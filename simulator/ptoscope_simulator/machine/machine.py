"""The simulated NPU as its users see it: give it a program and arrays, and the results are in the arrays."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.hardware import CoreKind
from ptoscope_compiler.pto.program import Launch, PtoProgram, SyncAll, Tasks
from ptoscope_compiler.scalar import Number

from .blocks import block_symbols, launched_cores
from .core import Core
from .events import CallStarted, Event, Printed
from .flags import CrossCoreFlags, EventFlags
from .hazards import Checks
from .launch import Launched, bind
from .memory import BlockMemory, Chip
from .plain import NeedsPipes, Output, PlainProgram, Probe
from .schedule import Schedule
from .timeline import Observer, Timeline

DEFAULT_STEP_BUDGET = 20_000_000
_KEPT_PROGRAMS = 64


@dataclass(frozen=True, slots=True)
class Run:
    """What a run leaves beside the results: how many calls (Tensor mode) or cores (Pro mode) ran."""

    calls: int


class Machine:
    """One chip. Programs are prepared on their first run and kept for the next ones.

    `step_budget` bounds the steps that loops of one core may take; `output` gets the lines that programs print.
    """

    def __init__(self, target: Chip, step_budget: int = DEFAULT_STEP_BUDGET, output: Output = print) -> None:
        self.target = target
        self.step_budget = step_budget
        self.output = output
        self._prepared: OrderedDict[int, Prepared] = OrderedDict()

    def run(
        self,
        program: PtoProgram,
        buffers: Mapping[str, NDArray[Any]],
        scalars: Mapping[str, Number] = {},
        block_num: int = 1,
        probe: Probe | None = None,
    ) -> Run:
        """Run `program` on the caller's arrays, which get the results.

        `block_num` counts blocks of a Pro launch; `probe` sees every step.

        MachineError, with the line at fault, where the program or its launch is wrong; the contents of the outputs are
        then unspecified.
        """
        launched = bind(program, buffers, scalars)
        prepared = self._prepare(program) if probe is None else Prepared(program, self, probe)
        before = {name: launched.buffers[name].bytes.copy() for name in prepared.restorable}
        with np.errstate(all="ignore"):  # hardware raises no floating-point exceptions
            try:
                calls = prepared.run(launched, block_num)
            except NeedsPipes:
                for name, contents in before.items():
                    launched.buffers[name].bytes[:] = contents
                calls = self._run_with_pipes(program, launched, block_num)
        launched.finish()
        return Run(calls)

    def simulate(
        self,
        program: PtoProgram,
        buffers: Mapping[str, NDArray[Any]],
        scalars: Mapping[str, Number] = {},
        block_num: int = 1,
        checks: Checks = Checks(),  # noqa: B008 (immutable)
        seed: int = 0,
        observers: Iterable[Observer] = (),
        undo_limit: int = 10_000,
    ) -> Timeline:
        """The same run with pipes in simulated time, not yet begun: for whoever steps, watches or looks for hazards.

        `seed` other than 0 shuffles what happens at the same cycle. Call `launched.finish()` of the timeline at the end
        where arrays are not contiguous.
        """
        return Timeline(
            program,
            self.target,
            bind(program, buffers, scalars),
            block_num,
            checks,
            seed,
            self.step_budget,
            observers,
            undo_limit,
        )

    def _run_with_pipes(self, program: PtoProgram, launched: Launched, block_num: int) -> int:
        """Run a program whose waits program order does not satisfy; only the lines that it prints are told."""
        calls = 0

        def observe(event: Event) -> None:
            nonlocal calls
            if isinstance(event, Printed):
                self.output(event.text)
            elif isinstance(event, CallStarted):
                calls += 1

        checks = Checks(uninit="off", races="off", misaligned="off", flags="off")
        Timeline(program, self.target, launched, block_num, checks, 0, self.step_budget, [observe], undo_limit=1).run()
        return calls

    def _prepare(self, program: PtoProgram) -> Prepared:
        found = self._prepared.get(id(program))
        if found is None:
            found = self._prepared[id(program)] = Prepared(program, self)
            if len(self._prepared) > _KEPT_PROGRAMS:
                self._prepared.popitem(last=False)
        self._prepared.move_to_end(id(program))
        return found


class Prepared:
    """A program made ready for the fast path, with the cores it runs on."""

    def __init__(self, program: PtoProgram, machine: Machine, probe: Probe | None = None) -> None:
        self.program = program
        self._probe = probe
        self.step_budget = machine.step_budget
        self.schedule = Schedule(program, machine.step_budget)
        self._target = machine.target
        self._programs = {
            name: PlainProgram(core, machine.target, machine.step_budget, machine.output, probe)
            for name, core in program.cores.items()
        }
        self._cores: dict[tuple[CoreKind, int, int], Core] = {}
        self._blocks: dict[int, BlockMemory] = {}
        waits = any(core.waits for core in self._programs.values())
        self.restorable = tuple(buffer.name for buffer in (*program.parameters, *program.workspace)) if waits else ()

    def run(self, launched: Launched, block_num: int) -> int:
        """Run everything; the number of calls. NeedsPipes where program order does not decide."""
        calls = 0
        for core in self._cores.values():
            core.memory.zero()
        for due in self.schedule.run(launched.variables, launched.buffers):
            calls += self._tasks(due, launched) if isinstance(due, Tasks) else self._launch(due, launched, block_num)
        return calls

    def _core(self, kind: CoreKind, block: int, sub: int) -> Core:
        found = self._cores.get((kind, block, sub))
        if found is None:
            shared = self._blocks.setdefault(block, BlockMemory(self._target.capacity))
            memory = shared.core(kind, sub)
            found = self._cores[kind, block, sub] = Core(kind, memory, EventFlags(), block, sub)
        return found

    def _tasks(self, tasks: Tasks, launched: Launched) -> int:
        count = 0
        variables = launched.variables
        called = {call.callee: self._programs[call.callee] for call in tasks.calls}
        cores = {name: self._core(program.program.core, 0, 0) for name, program in called.items()}
        for task in self.schedule.tasks(tasks, variables, launched.buffers):
            program, core = called[task.call.callee], cores[task.call.callee]
            core.begin(task.buffers, variables, task.scalars, self.step_budget)
            if self._probe is not None:
                self._probe.begin(core, program.program, task)
            if not program.variant(core).run(core):
                raise NeedsPipes(core.waiting)
            count += 1
        return count

    def _launch(self, launch: Launch, launched: Launched, block_num: int) -> int:
        """Blocks one after another on the same cores where they do not meet, else all at once."""
        programs = [self._programs[name] for name in (launch.cube, launch.vector) if name is not None]
        if any(program.meets_other_blocks for program in programs):
            return self._together(launch, launched, range(block_num), range(block_num), block_num)
        return sum(self._together(launch, launched, (block,), (0,), block_num) for block in range(block_num))

    def _together(self, launch: Launch, launched: Launched, blocks: Any, places: Any, block_num: int) -> int:
        running: list[tuple[PlainProgram, Core]] = []
        for block, place in zip(blocks, places, strict=True):
            for kind, sub, name in launched_cores(launch):
                program, core = self._programs[name], self._core(kind, place, sub)
                symbols = block_symbols(launch, kind, block, sub, block_num)
                core.begin(launched.buffers, launched.variables, symbols, self.step_budget)
                if self._probe is not None:
                    self._probe.begin(core, program.program, None)
                running.append((program.variant(core), core))
        flags = CrossCoreFlags(core.key for _, core in running)
        for program, _ in running:
            program.cross_core = flags
        count = len(running)
        everyone = [core for _, core in running]
        while running:
            running = _turn(running, everyone)
        return count


def _turn(running: list[tuple[PlainProgram, Core]], everyone: list[Core]) -> list[tuple[PlainProgram, Core]]:
    """Run each core until it waits; the cores that are not over yet. NeedsPipes where none could go on."""
    moved = False
    left: list[tuple[PlainProgram, Core]] = []
    for program, core in running:
        before = (core.place, core.fuel)
        if program.run(core):
            core.waiting = None
            moved = True
        else:
            left.append((program, core))
            moved = moved or before != (core.place, core.fuel)
    if not (_meet(everyone) or moved or not left):
        raise NeedsPipes(left[0][1].waiting)
    return left


def _meet(everyone: list[Core]) -> bool:
    """Let the cores go on that stand at a barrier over all cores, where every core it names has arrived."""
    arrived = [core for core in everyone if isinstance(core.waiting, SyncAll)]
    if not arrived:
        return False
    barrier = arrived[0].waiting
    assert isinstance(barrier, SyncAll)
    named = [core for core in everyone if barrier.cores in ("MIX", core.kind.value)]
    if len(arrived) < len(named):
        return False
    for core in arrived:
        core.waiting = None
        core.place += 1
    return True
