"""The scheduler of the logged path: walks the control flow and hands calls to free cores as their dependencies end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope_compiler.hardware import CoreKind
from ptoscope_compiler.pto.program import Launch, Tasks

from .blocks import block_symbols, launched_cores
from .hazards import Clock, joined
from .schedule import Task
from .states import SCHEDULER

if TYPE_CHECKING:
    from .timeline import Timeline


class Dispatcher:
    """Its state lives in the timeline's journaled `state`: place and fuel of the control flow, what is due, and per
    call how many of its grid were started and are complete."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline

    def proceed(self, cycle: int) -> None:
        """Start what can start; where everything due is complete, go on with the control flow."""
        timeline, state = self.timeline, self.timeline.state
        due = state.get("due")
        if isinstance(due, Tasks):
            self._start_ready(cycle)
        if due is not None and state["running"] == 0 and self._is_complete():
            clocks = [front.clock for front in timeline.fronts.values()]
            state["base"] = joined(state.get("base", timeline.no_clock), *clocks)
            due = None
        if due is None:
            self._go_on(cycle)

    def _go_on(self, cycle: int) -> None:
        timeline, state = self.timeline, self.timeline.state
        place, fuel = state.get("place", 0), state.get("fuel", timeline.step_budget)
        due, place, fuel = timeline.schedule.advance(place, fuel, timeline.variables, timeline.launched.buffers)
        state["place"], state["fuel"], state["due"], state["running"] = place, fuel, due, 0
        if due is None:
            timeline.finish(cycle)
        elif isinstance(due, Tasks):
            self._begin(due)
            self._start_ready(cycle)
            if state["running"] == 0:
                timeline.agenda[SCHEDULER] = cycle
        else:
            self._launch(due, cycle)

    # --- calls of Tensor mode ------------------------------------------------------------------------------------

    def _begin(self, tasks: Tasks) -> None:
        timeline, state = self.timeline, self.timeline.state
        spread: list[list[Task]] = [[] for _ in tasks.calls]
        for task in timeline.schedule.tasks(tasks, timeline.variables, timeline.launched.buffers):
            spread[task.index].append(task)
        state["tasks"] = tuple(map(tuple, spread))
        state["started"] = (0,) * len(spread)
        state["complete"] = (0,) * len(spread)
        state["clocks"] = (timeline.no_clock,) * len(spread)
        kinds = {timeline.program.cores[call.callee].core for call in tasks.calls}
        for kind in sorted(kinds, key=lambda kind: kind.value):
            count = timeline.target.cube_cores if kind is CoreKind.AIC else timeline.target.vector_cores
            for block in range(count):
                timeline.add_slot(kind, block, 0, f"{kind.value}{block}")

    def _is_complete(self) -> bool:
        state = self.timeline.state
        if not isinstance(state["due"], Tasks):
            return True
        return all(done == len(tasks) for done, tasks in zip(state["complete"], state["tasks"], strict=True))

    def _start_ready(self, cycle: int) -> None:
        timeline, state = self.timeline, self.timeline.state
        due: Tasks = state["due"]
        for index, call in enumerate(due.calls):
            depends = call.depends
            if any(state["complete"][other] < len(state["tasks"][other]) for other in depends):
                continue
            kind = timeline.program.cores[call.callee].core
            while state["started"][index] < len(state["tasks"][index]):
                free = self._free_core(kind)
                if free is None:
                    break
                task = state["tasks"][index][state["started"][index]]
                state["started"] = _increased(state["started"], index)
                state["running"] += 1
                known = [state["clocks"][other] for other in depends]
                clock = joined(state.get("base", timeline.no_clock), timeline.front(free).clock, *known)
                values = {**timeline.variables, **task.scalars}
                timeline.begin_call(free, call.callee, values, task.buffers, task, clock, cycle)

    def _free_core(self, kind: CoreKind) -> int | None:
        timeline = self.timeline
        free = [
            index
            for index, slot in enumerate(timeline.slots)
            if slot.kind is kind and timeline.front(index).program is None
        ]
        if not free:
            return None
        return free[(timeline.seed * 7919 + timeline.state["number"]) % len(free)] if timeline.seed else free[0]

    def call_finished(self, task: Task | None, clock: Clock) -> None:
        """A core has finished what it was given."""
        state = self.timeline.state
        state["running"] -= 1
        if task is not None:
            state["complete"] = _increased(state["complete"], task.index)
            clocks: list[Clock] = list(state["clocks"])
            clocks[task.index] = joined(clocks[task.index], clock)
            state["clocks"] = tuple(clocks)

    # --- launches of Pro mode ------------------------------------------------------------------------------------

    def _launch(self, launch: Launch, cycle: int) -> None:
        timeline, state = self.timeline, self.timeline.state
        started = []
        for block in range(timeline.block_num):
            for kind, sub, name in launched_cores(launch):
                text = f"{kind.value}{block}" + (f".{sub}" if kind is CoreKind.AIV and launch.cube else "")
                index = timeline.add_slot(kind, block, sub, text)
                symbols = block_symbols(launch, kind, block, sub, timeline.block_num)
                started.append((index, name, {**timeline.variables, **symbols}))
        timeline.cross_core.cores = tuple(timeline.slots[index][:3] for index, _, _ in started)
        state["running"] = len(started)
        base: Clock = state.get("base", timeline.no_clock)
        for index, name, values in started:
            timeline.begin_call(index, name, values, timeline.launched.buffers, None, base, cycle)
        if not started:
            timeline.agenda[SCHEDULER] = cycle


def _increased(counts: tuple[int, ...], index: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + 1, *counts[index + 1 :])
