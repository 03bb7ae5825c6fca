"""The fast path: each core program becomes a list of Python functions, one per step, run in the program's order.

Program order is one of the orders that a correctly synchronised program allows, so flags within a core are only
counted. A wait that program order cannot satisfy raises `NeedsPipes`: only the machine with pipes can tell whether the
program goes on or stops for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ptoscope_compiler.pto.program import (
    Assign,
    Barrier,
    CoreProgram,
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
from ptoscope_compiler.scalar import Scalar

from ..instructions.registry import Architecture
from .code import Jump, JumpUnless, Leaf, LoopNext, LoopStart, Step, lay_out
from .core import Core
from .errors import MachineError
from .faults import budget_exceeded, fault
from .flags import CrossCoreFlags
from .instruction import Execute, PreparedInstruction
from .operands import TileOperand, WindowOperand, prepare
from .printing import formatted
from .scalars import evaluator, evaluator_of_all
from .schedule import Task
from .specialise import Variants, deciding_parameters, deciding_scalars, with_known

Action = Callable[[Core], int]
Output = Callable[[str], None]
STOP = -1


class Probe(Protocol):
    """Who wants to see, or add to, what each step of a run does to memory."""

    def begin(self, core: Core, program: CoreProgram, task: Task | None) -> None:
        """`core` starts a core program: a call of the scheduler, or (None) its part of a launch."""

    def instruction(self, prepared: PreparedInstruction) -> Callable[[Core], None]:
        """What executes the instruction; it must do all that `prepared.execute` does."""

    def element_written(self, operand: TileOperand | WindowOperand, core: Core, statement: WriteElement) -> None:
        """A scalar was written to one element."""


class NeedsPipes(Exception):
    """Program order does not decide how the program goes on after `statement`, a wait."""

    def __init__(self, statement: Any) -> None:
        self.statement = statement
        super().__init__()


class PlainProgram:
    """A core program ready to run. `run` goes on until the end or until the core waits for another one.

    `known` are values of scalars for which alone it is prepared, see `variant`.
    """

    def __init__(
        self,
        program: CoreProgram,
        target: Architecture,
        step_budget: int,
        output: Output,
        probe: Probe | None = None,
        known: Mapping[str, int] = {},
    ) -> None:
        self.program = program
        self.probe = probe
        self.step_budget = step_budget
        self._target = target
        self._output = output
        self._known = known
        deciding = deciding_parameters(program) if probe is None and not known else ()
        self._variants = Variants(deciding, self, self._made_for) if deciding else None
        self._steps = lay_out(program.body)
        self._flags_are_satisfied = _flags_are_satisfied(self._steps)
        self._actions: list[Action] = [self._action(place, step) for place, step in enumerate(self._steps)]
        self.meets_other_blocks = any(map(_meets_other_blocks, self._steps))
        self.cross_core: CrossCoreFlags | None = None

    @property
    def waits(self) -> bool:
        """Whether the program has a wait that program order might not satisfy."""
        waits = (WaitCrossCore, SyncAll) if self._flags_are_satisfied else (WaitFlag, WaitCrossCore, SyncAll)
        return any(isinstance(step, Leaf) and isinstance(step.statement, waits) for step in self._steps)

    def variant(self, core: Core) -> PlainProgram:
        """The program made for the extents and addresses that it has on `core`, or this one."""
        return self if self._variants is None else self._variants.of(core.variables)

    def _made_for(self, known: Mapping[str, int]) -> PlainProgram:
        return PlainProgram(self.program, self._target, self.step_budget, self._output, known=known)

    def run(self, core: Core) -> bool:
        """Run on `core` from its place on; whether the program is over. MachineError at the step at fault."""
        actions, place = self._actions, core.place
        end = len(actions)
        following = place
        try:
            while 0 <= following < end:
                place = following
                following = actions[place](core)
        except (NeedsPipes, KeyboardInterrupt):
            raise
        except Exception as error:
            raise fault(self._steps[place].statement, error, core) from error
        core.place = place if following == STOP else end
        return following != STOP

    def _after(self, place: int) -> int:
        """The next place from `place` on that has something to do here."""
        while place < len(self._steps) and self._is_idle(self._steps[place]):
            place += 1
        return place

    def _is_idle(self, step: Step) -> bool:
        """Barriers and mutexes order pipes, and program order has none; so do flags that it always satisfies."""
        if not isinstance(step, Leaf):
            return False
        if isinstance(step.statement, (SetFlag, WaitFlag)):
            return self._flags_are_satisfied
        return isinstance(step.statement, (Barrier, MutexLock, MutexUnlock))

    def _action(self, place: int, step: Step) -> Action:
        if _is_instruction(step):
            return self._instructions(place)
        following = self._after(place + 1)
        if isinstance(step, Leaf):
            return self._leaf(step.statement, following)
        if isinstance(step, JumpUnless):
            condition, otherwise = step.condition, step.target
            return lambda core: following if condition(core.variables) else otherwise
        if isinstance(step, Jump):
            return self._jump(step)
        if isinstance(step, LoopStart):
            enter, leave = step.enter, step.exit
            return lambda core: following if enter(core.variables) else leave
        return self._turn(step, following)

    def _spend(self, core: Core, step: Jump | LoopNext) -> None:
        core.fuel -= step.weight
        if core.fuel < 0:
            raise budget_exceeded(step.statement, self.step_budget)

    def _jump(self, step: Jump) -> Action:
        if not step.weight:
            target = step.target
            return lambda core: target

        def again(core: Core) -> int:
            self._spend(core, step)
            return step.target

        return again

    def _turn(self, step: LoopNext, following: int) -> Action:
        def turn(core: Core) -> int:
            if not step.advance(core.variables):
                return following
            self._spend(core, step)
            return step.target

        return turn

    def _leaf(self, statement: Any, following: int) -> Action:
        if isinstance(statement, Assign):
            name, value = statement.name, evaluator(statement.value)

            def assign(core: Core) -> int:
                core.variables[name] = value(core.variables)
                return following

            return assign
        if isinstance(statement, ReadElement):
            return _read_element(statement, following)
        if isinstance(statement, WriteElement):
            return self._write_element(statement, following)
        if isinstance(statement, Print):
            return self._print(statement, following)
        if isinstance(statement, (SetFlag, WaitFlag)):
            return _event_flag(statement, following)
        if isinstance(statement, (SetCrossCore, WaitCrossCore)):
            return self._cross_core_flag(statement, following)
        if isinstance(statement, SyncAll):
            return _sync_all(statement, following)
        return lambda core: following

    def _instructions(self, place: int) -> Action:
        """Everything up to the next step that is no instruction; made when a run first comes to `place`."""

        def enter(core: Core) -> int:
            action = self._actions[place] = self._straight(place)
            return action(core)

        return enter

    def _straight(self, place: int) -> Action:
        steps, made = self._steps, []
        while place < len(steps) and _is_instruction(steps[place]):
            made.append((place, self._maker(steps[place].statement)))
            place = self._after(place + 1)
        following = place
        bound: dict[Core, list[tuple[int, Execute]]] = {}

        def run(core: Core) -> int:
            executes = bound.get(core)
            if executes is None:
                executes = bound[core] = [(at, make(core)) for at, make in made]
            at = 0
            try:
                for at, execute in executes:  # noqa: B007 (the step at fault)
                    execute(core)
            except Exception as error:
                raise fault(steps[at].statement, error, core) from error
            return following

        return run

    def _maker(self, statement: Instruction) -> Callable[[Core], Execute]:
        """Makes what executes `statement` on a core."""
        try:
            prepared = PreparedInstruction(with_known(statement, self._known), self._target)
        except Exception as error:
            failing = _failing(fault(statement, error, None))
            return lambda core: failing
        if self.probe is None:
            return _adapting(prepared) if deciding_scalars(prepared.statement) else prepared.bound
        execute = self.probe.instruction(prepared)
        return lambda core: execute

    def _write_element(self, statement: WriteElement, following: int) -> Action:
        operand, probe = prepare(statement.target), self.probe
        place, value = evaluator_of_all(statement.indices), evaluator(statement.value)
        assert isinstance(operand, (TileOperand, WindowOperand))

        def write(core: Core) -> int:
            operand.set_element(core, tuple(map(int, place(core.variables))), value(core.variables))
            if probe is not None:
                probe.element_written(operand, core, statement)
            return following

        return write

    def _print(self, statement: Print, following: int) -> Action:
        def output(core: Core) -> int:
            self._output(formatted(statement, core))
            return following

        return output

    def _cross_core_flag(self, statement: SetCrossCore | WaitCrossCore, following: int) -> Action:
        event, mode = evaluator(statement.event), statement.mode
        waiting = statement if isinstance(statement, WaitCrossCore) else None

        def set_flag(core: Core) -> int:
            assert self.cross_core is not None
            self.cross_core.set(core.key, mode, int(event(core.variables)))
            return following

        def wait_flag(core: Core) -> int:
            assert self.cross_core is not None
            if self.cross_core.take(core.key, mode, int(event(core.variables))):
                core.waiting = None
                return following
            core.waiting = waiting
            return STOP

        return set_flag if isinstance(statement, SetCrossCore) else wait_flag


def _flags_are_satisfied(steps: list[Step]) -> bool:
    """Whether each wait for a flag has its set before it, in a program without jumps whose events are constants."""
    counts: dict[Any, int] = {}
    for step in steps:
        if not isinstance(step, Leaf):
            return False
        statement = step.statement
        if isinstance(statement, (SetFlag, WaitFlag)):
            if isinstance(statement.event, Scalar):
                return False
            key = (statement.source, statement.target, statement.event)
            counts[key] = counts.get(key, 0) + (1 if isinstance(statement, SetFlag) else -1)
            if counts[key] < 0:
                return False
    return True


def _meets_other_blocks(step: Step) -> bool:
    """Whether cores of different blocks wait for each other there."""
    statement = step.statement
    if isinstance(statement, (SetCrossCore, WaitCrossCore)):
        return statement.mode == "inter_block"
    return isinstance(statement, SyncAll)


def _is_instruction(step: Step) -> bool:
    return isinstance(step, Leaf) and isinstance(step.statement, Instruction)


def _adapting(general: PreparedInstruction) -> Callable[[Core], Execute]:
    """Binds an instruction whose extents or addresses vary: each time the variant for the values that they have."""
    statement = general.statement

    def make(known: Mapping[str, int]) -> PreparedInstruction:
        return PreparedInstruction(with_known(statement, known), general.target)

    variants = Variants(deciding_scalars(statement), general, make)

    def bound(core: Core) -> Execute:
        bound_ones: dict[PreparedInstruction, Execute] = {}

        def execute(core: Core) -> None:
            variant = variants.of(core.variables)
            found = bound_ones.get(variant)
            if found is None:
                found = bound_ones[variant] = variant.bound(core)
            found(core)

        return execute

    return bound


def _failing(error: MachineError) -> Execute:
    """An instruction that cannot be prepared is at fault only where it is reached."""

    def fail(core: Core) -> None:
        raise error

    return fail


def _read_element(statement: ReadElement, following: int) -> Action:
    name, operand = statement.name, prepare(statement.source)
    place = evaluator_of_all(statement.indices)
    assert isinstance(operand, (TileOperand, WindowOperand))

    def read(core: Core) -> int:
        core.variables[name] = operand.element(core, tuple(map(int, place(core.variables))))
        return following

    return read


def _event_flag(statement: SetFlag | WaitFlag, following: int) -> Action:
    source, target, event = statement.source, statement.target, evaluator(statement.event)

    def set_flag(core: Core) -> int:
        core.flags.set(source, target, int(event(core.variables)))
        return following

    def wait_flag(core: Core) -> int:
        if not core.flags.take(source, target, int(event(core.variables))):
            raise NeedsPipes(statement)
        return following

    return set_flag if isinstance(statement, SetFlag) else wait_flag


def _sync_all(statement: SyncAll, following: int) -> Action:
    def meet(core: Core) -> int:
        if statement.cores not in ("MIX", core.kind.value):
            return following
        core.waiting = statement
        return STOP

    return meet
