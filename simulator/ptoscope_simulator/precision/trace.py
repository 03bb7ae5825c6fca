"""A run beside its float64 shadow: for each executed instruction, how far its result and its inputs are off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.pto.program import CoreProgram, Instruction, WriteElement

from ..instructions.numeric import round_mode, to_integral
from ..machine.cells import Cells
from ..machine.core import Core
from ..machine.instruction import PreparedInstruction
from ..machine.operands import ScalarOperand, TileOperand, WindowOperand
from ..machine.schedule import Task
from .shadow import Shadow
from .tolerance import smallest_normal

Array = NDArray[Any]


@dataclass(slots=True)
class Record:
    """One executed instruction. Departures are relative: |real - exact| over |exact| plus the scale of the tile.

    `sources` are the executions that wrote what it read. `uninitialised` and `stale` count elements on chip that
    nobody wrote, or that an earlier execution of the same load left over.
    """

    number: int
    statement: Any
    core: str
    task: Task | None
    departure: float
    input_departure: float
    sources: tuple[int, ...]
    place: tuple[Any, int] | None
    uninitialised: int = 0
    stale: int = 0
    depth: int = 1


@dataclass(frozen=True, slots=True)
class OperandValue:
    """An operand of the execution under inspection: what it held, and what it would hold in exact arithmetic."""

    operand: Any
    real: Any
    exact: Any


@dataclass(frozen=True, slots=True)
class Capture:
    """Everything about one execution."""

    record: Record
    inputs: tuple[OperandValue, ...]
    outputs: tuple[OperandValue, ...]
    variables: dict[str, Any]
    windows: tuple[tuple[str, tuple[int, ...]], ...]


def departure(real: Any, exact: Any, slack: float = 0.0) -> float:
    """The largest |real - exact| - `slack` over |exact| plus the root mean square of the exact tile; inf for a NaN or
    infinity on one side only."""
    if not isinstance(real, np.ndarray) or real.dtype == bool or real.shape != np.shape(exact) or not real.size:
        return 0.0
    found, ideal = real.astype(np.float64), np.asarray(exact, np.float64)
    same = (found == ideal) | (np.isnan(found) & np.isnan(ideal))
    finite = np.isfinite(found) & np.isfinite(ideal)
    if (~finite & ~same).any():
        return float("inf")
    usable = ideal[finite]
    if not usable.size:
        return 0.0
    error = np.maximum(np.abs(found[finite] - usable) - slack, 0.0)
    scale = float(np.sqrt(np.mean(np.square(usable))))
    bound = np.abs(usable) + scale
    return float(np.divide(error, bound, out=np.where(error > 0, np.inf, 0.0), where=bound > 0).max())


class Trace:
    """A probe that keeps the shadow. `capture` names executions, by number, to keep in full."""

    def __init__(self, capture: frozenset[int] = frozenset()) -> None:
        self.shadow = Shadow()
        self.records: list[Record] = []
        self.captured: dict[int, Capture] = {}
        self._capture = capture
        self._tasks: dict[int, Task | None] = {}

    def begin(self, core: Core, program: CoreProgram, task: Task | None) -> None:
        self._tasks[id(core)] = task

    def element_written(self, operand: TileOperand | WindowOperand, core: Core, statement: WriteElement) -> None:
        record = self._new_record(statement, core)
        cells = self.shadow.cells(operand, core, operand.extent(core))
        if cells is not None:
            self.shadow.write(operand, core, operand.read(core).astype(np.float64), cells, record.number)

    def instruction(self, prepared: PreparedInstruction) -> Callable[[Core], None]:
        exact = PreparedInstruction(prepared.statement, prepared.target, exact=True)
        return lambda core: self._execute(prepared, exact, core)

    def _new_record(self, statement: Any, core: Core) -> Record:
        record = Record(len(self.records) + 1, statement, core.name, self._tasks.get(id(core)), 0.0, 0.0, (), None)
        self.records.append(record)
        return record

    def _execute(self, prepared: PreparedInstruction, exact: PreparedInstruction, core: Core) -> None:
        record = self._new_record(prepared.statement, core)
        reals = prepared.read(core)
        places = [self._input_cells(prepared, index, core, real) for index, real in enumerate(reals)]
        ideals = [
            self.shadow.read(operand, core, real, cells)
            for operand, real, cells in zip(prepared.inputs, reals, places, strict=True)
        ]
        self._note_sources(record, places)
        record.input_departure = max(
            (
                departure(real, ideal, _slack(operand, real))
                for operand, real, ideal in zip(prepared.inputs, reals, ideals, strict=True)
                if isinstance(real, np.ndarray)
            ),
            default=0.0,
        )
        record.depth = _depth(prepared.statement, reals)
        results = prepared.results(core, reals)
        goals = _exact_results(prepared, exact, core, ideals, results)
        kept_inputs = tuple(
            OperandValue(operand.operand, np.array(real), np.array(ideal))
            for operand, real, ideal in zip(prepared.inputs, reals, ideals, strict=True)
            if record.number in self._capture
        )
        prepared.write(core, results)
        for index, (operand, result, goal) in enumerate(zip(prepared.outputs, results, goals, strict=True)):
            if isinstance(operand, ScalarOperand):
                continue
            record.departure = max(record.departure, departure(result, goal, _slack(operand, result)))
            corner = prepared.corner(core) if index == 0 and prepared.semantics.window_out is not None else ()
            cells = self.shadow.cells(operand, core, result.shape, corner)
            self.shadow.write(operand, core, goal, cells, record.number)
            if index == 0 and isinstance(operand, (TileOperand, WindowOperand)):
                record.place = (cells.key if cells else None, operand.start(core))
        if record.number in self._capture:
            self._keep(record, prepared, core, kept_inputs, results, goals)

    def _keep(
        self, record: Record, prepared: PreparedInstruction, core: Core, inputs: Any, results: Any, goals: Any
    ) -> None:
        outputs = tuple(
            OperandValue(operand.operand, real, ideal)
            for operand, real, ideal in zip(prepared.outputs, results, goals, strict=True)
        )
        windows = tuple(
            (core.buffers[operand.buffer].name, _coordinates(operand, core))
            for operand in (*prepared.outputs, *prepared.inputs)
            if isinstance(operand, WindowOperand)
        )
        self.captured[record.number] = Capture(record, inputs, outputs, core.variables.named(), windows)

    def _input_cells(self, prepared: PreparedInstruction, index: int, core: Core, real: Any) -> Cells | None:
        if not isinstance(real, np.ndarray):
            return None
        corner = prepared.corner(core) if index == prepared.semantics.window_in else ()
        return self.shadow.cells(prepared.inputs[index], core, real.shape, corner)

    def _note_sources(self, record: Record, places: list[Cells | None]) -> None:
        sources: set[int] = set()
        for cells in places:
            if cells is None:
                continue
            writers, counts = np.unique(self.shadow.writers(cells), return_counts=True)
            sources.update(int(writer) for writer in writers if writer)
            if cells.is_on_chip:
                self._note_leftovers(record, dict(zip(writers.tolist(), counts.tolist(), strict=True)))
        record.sources = tuple(sorted(sources))

    def _note_leftovers(self, record: Record, writers: dict[int, int]) -> None:
        record.uninitialised += writers.get(0, 0)
        newest = self.records[max(writers) - 1] if max(writers, default=0) else None
        for writer, count in writers.items():
            if newest is None or writer in (0, newest.number):
                continue
            older = self.records[writer - 1]
            if older.place == newest.place and _opcode(older) == _opcode(newest):
                record.stale += count


def _slack(operand: Any, result: Array) -> float:
    """The error that the element type itself explains: one step for integers, what underflows for floats."""
    if result.dtype.kind in "iu":
        return 1.0
    dtype = operand.operand.type.dtype if isinstance(operand, TileOperand) else operand.operand.dtype
    return smallest_normal(dtype)


def _opcode(record: Record) -> str:
    return str(getattr(record.statement, "opcode", ""))


def _coordinates(operand: WindowOperand, core: Core) -> tuple[int, ...]:
    """Where a window starts in its buffer, per axis."""
    shape = core.buffers[operand.buffer].shape
    start = min(max(operand.start(core), 0), max(int(np.prod(shape)) - 1, 0))
    return tuple(int(i) for i in np.unravel_index(start, shape)) if shape else ()


def _depth(statement: Instruction, inputs: list[Any]) -> int:
    """How many terms the instruction sums for one element of its result."""
    arrays = [value for value in inputs if isinstance(value, np.ndarray)]
    if statement.opcode.startswith(("TMATMUL", "TGEMV")) and len(arrays) >= 2:
        return int(arrays[-1].shape[-2]) if arrays[-1].ndim > 1 else 1
    if statement.opcode.startswith(("TROW", "TCOL")) and "EXPAND" not in statement.opcode and arrays and arrays[0].ndim:
        default = -1 if statement.opcode.startswith("TROW") else -2
        axis = statement.attributes.get("axis")
        axis = default if axis is None else int(axis)
        return int(arrays[0].shape[axis]) if -arrays[0].ndim <= axis < arrays[0].ndim else 1
    return 1


def _exact_results(
    prepared: PreparedInstruction, exact: PreparedInstruction, core: Core, ideals: list[Any], results: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The results in exact arithmetic; the real ones, widened, where the semantics have no exact form."""
    if prepared.statement.opcode == "TCVT" and results[0].dtype.kind in "iu" and ideals[0].dtype == np.float64:
        mode = round_mode(exact.context(core).attributes.get("round", "RINT"))
        return (to_integral(ideals[0], mode),)
    try:
        goals = exact.results(core, ideals)
    except Exception:  # whatever the reason, the real result is then the reference
        goals = results
    return tuple(
        np.asarray(goal, np.float64) if np.shape(goal) == np.shape(result) and _is_number(goal) else _wide(result)
        for goal, result in zip(goals, results, strict=True)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


def _wide(value: Any) -> Any:
    return value.astype(np.float64) if isinstance(value, np.ndarray) else value
