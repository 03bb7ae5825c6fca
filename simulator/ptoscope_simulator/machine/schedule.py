"""What the scheduler runs: the control flow of a program as steps, and calls with their grids spread out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ptoscope_compiler.pto.program import Assign, Call, Launch, PtoProgram, StoreElement, Tasks

from .code import Jump, Leaf, LoopNext, Step, lay_out, next_place
from .errors import MachineError
from .faults import budget_exceeded, fault
from .memory import GlobalBuffer
from .scalars import Evaluator, Variables, evaluator, evaluator_of_all, evaluator_of_mapping


@dataclass(slots=True)
class Task:
    """One call of a core program, its grid resolved. `index` is that of its `Call` within its `Tasks`."""

    index: int
    call: Call
    buffers: Mapping[str, GlobalBuffer]
    scalars: Mapping[str, Any]
    grid: tuple[int, ...]


class Schedule:
    """The control flow of a program, evaluated once per run over the scheduler's variables."""

    def __init__(self, program: PtoProgram, step_budget: int) -> None:
        self.program = program
        self.step_budget = step_budget
        self._steps: list[Step] = lay_out(program.control)
        self._scalars: dict[Call, Evaluator] = {}

    def run(self, variables: Variables, buffers: Mapping[str, GlobalBuffer]) -> Iterator[Tasks | Launch]:
        """Tasks and launches in the order in which they are due; each must be complete when the next is asked for."""
        place, fuel = 0, self.step_budget
        while True:
            due, place, fuel = self.advance(place, fuel, variables, buffers)
            if due is None:
                return
            yield due

    def advance(
        self, place: int, fuel: int, variables: Variables, buffers: Mapping[str, GlobalBuffer]
    ) -> tuple[Tasks | Launch | None, int, int]:
        """What is due next from `place` on (None at the end), and where to go on after it with how much fuel."""
        steps = self._steps
        while place < len(steps):
            step = steps[place]
            try:
                if isinstance(step, (Jump, LoopNext)) and step.weight:
                    fuel -= step.weight
                    if fuel < 0:
                        raise budget_exceeded(step.statement, self.step_budget)
                if isinstance(step, Leaf):
                    if isinstance(step.statement, StoreElement):
                        _store(step.statement, variables, buffers)
                    elif isinstance(step.statement, Assign):
                        variables[step.statement.name] = evaluator(step.statement.value)(variables)
                    else:
                        return step.statement, place + 1, fuel
                place = next_place(step, place, variables)
            except MachineError:
                raise
            except Exception as error:
                raise fault(step.statement, error, None) from error
        return None, place, fuel

    def tasks(self, tasks: Tasks, variables: Variables, buffers: Mapping[str, GlobalBuffer]) -> Iterator[Task]:
        """The calls in order, each call of a grid by itself; dependencies always point backwards."""
        for index, call in enumerate(tasks.calls):
            scalars = self._scalars.get(call)
            if scalars is None:
                scalars = self._scalars[call] = evaluator_of_mapping(call.scalars)
            bound = {formal: buffers[actual] for formal, actual in call.buffers.items()}
            if not call.grid:
                yield Task(index, call, bound, _evaluated(call, scalars, variables), ())
                continue
            local = Variables(variables, variables.read)
            names = [f"grid{axis}" for axis in range(len(call.grid))]
            for place in product(*map(range, call.grid)):
                local.update(zip(names, place, strict=True))
                yield Task(index, call, bound, _evaluated(call, scalars, local), place)


def _evaluated(call: Call, scalars: Evaluator, variables: Variables) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = scalars(variables)
    except Exception as error:
        raise fault(call, error, None) from error
    return found


def _store(statement: StoreElement, variables: Variables, buffers: Mapping[str, GlobalBuffer]) -> None:
    indices = tuple(map(int, evaluator_of_all(statement.indices)(variables)))
    buffers[statement.buffer].write(indices, evaluator(statement.value)(variables))
