"""The judge: run a compiled kernel, compare each output with its golden, and find the line that makes it wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.ir.kernel import TensorKernel
from ptoscope_compiler.pto.operands import Window
from ptoscope_compiler.pto.program import Instruction, PtoProgram, StoreElement, Tasks, WriteElement
from ptoscope_compiler.scalar import Number

from ..golden.evaluate import evaluate
from ..machine.code import statements
from ..machine.machine import Machine
from .departure import describe, first_departure, first_leftover, growth, links, slice_of
from .depth import reduction_depth
from .inputs import check_golden
from .judgement import Cause, Departure, Judgement, Output
from .repairs import find_repair
from .tolerance import Tolerance, given
from .trace import Record, Trace
from .verdict import Level, compare

Array = NDArray[Any]


@dataclass(frozen=True)
class Request:
    """One launch to judge. `arrays` hold every tensor parameter as before the launch, and stay as they are.

    `kernel` is the Tensor graph (stage "tensor") of a Tensor-mode kernel: the default golden. Without it and without
    `golden`, the golden is exact arithmetic along the program itself. `golden` has an array per output name, from
    `golden_source`. `relative` and `absolute` replace the derived tolerance. `explain` always traces the run, so that
    the error growth is known for outputs that pass, too.
    """

    machine: Machine
    program: PtoProgram
    arrays: Mapping[str, Array]
    kernel: TensorKernel | None = None
    scalars: Mapping[str, Number] | None = None
    block_num: int = 1
    golden: Mapping[str, Array] | None = None
    golden_source: str = ""
    relative: float | None = None
    absolute: float | None = None
    explain: bool = False


def judge(request: Request) -> Judgement:
    """Judge one launch.

    MachineError where the program cannot run, GoldenError where the Tensor graph has no golden, BadInput where a given
    golden does not fit the outputs.
    """
    return _Judge(request).judgement()


def written_parameters(program: PtoProgram) -> tuple[str, ...]:
    """Parameters that the program may write, in the order of the signature."""
    written: set[str] = set()
    formals = {name: _written_buffers(core.body) for name, core in program.cores.items()}
    for statement in statements(program.control):
        if isinstance(statement, StoreElement):
            written.add(statement.buffer)
        elif isinstance(statement, Tasks):
            for call in statement.calls:
                written.update(call.buffers.get(formal, formal) for formal in formals[call.callee])
        elif hasattr(statement, "vector"):
            for name in (statement.cube, statement.vector):
                written.update(formals[name] if name is not None else ())
    return tuple(parameter.name for parameter in program.parameters if parameter.name in written)


def _written_buffers(body: Any) -> set[str]:
    written: set[str] = set()
    for statement in statements(body):
        targets: tuple[Any, ...] = ()
        if isinstance(statement, Instruction):
            targets = statement.outputs
        elif isinstance(statement, WriteElement):
            targets = (statement.target,)
        written.update(target.buffer for target in targets if isinstance(target, Window))
    return written


class _Judge:
    def __init__(self, request: Request) -> None:
        self.request = request
        self.scalars: Mapping[str, Number] = request.scalars or {}
        self._trace: Trace | None = None

    def judgement(self) -> Judgement:
        request = self.request
        actual = self._run(None)
        golden, text, text_zh = self._golden()
        depth = self._depth()
        tolerance = None
        if request.relative is not None or request.absolute is not None:
            tolerance = given(request.relative, request.absolute)
        outputs = tuple(self._output(name, actual[name], golden[name], depth, tolerance) for name in golden)
        worst = max(outputs, key=lambda output: _rank(output.verdict.level, output.verdict.excess), default=None)
        departure = None
        if worst is not None and worst.verdict.level.is_finding:
            departure = self._departure(worst, golden)
        points = growth(self.trace) if self._trace is not None or request.explain else ()
        name, target = request.program.name, request.program.target
        return Judgement(name, target, text, text_zh, depth, outputs, departure, points)

    @property
    def trace(self) -> Trace:
        """The run beside its float64 shadow."""
        if self._trace is None:
            self._trace = self._retrace(frozenset())
        return self._trace

    def _retrace(self, capture: frozenset[int]) -> Trace:
        trace = Trace(capture)
        self._run(trace)
        return trace

    def _run(self, probe: Trace | None) -> dict[str, Array]:
        arrays = {name: np.array(array) for name, array in self.request.arrays.items()}
        self.request.machine.run(self.request.program, arrays, self.scalars, self.request.block_num, probe)
        return arrays

    def _golden(self) -> tuple[Mapping[str, Array], str, str]:
        request = self.request
        names = written_parameters(request.program)
        dtypes = {parameter.name: parameter.dtype for parameter in request.program.parameters}
        if request.golden is not None:
            shapes = {name: (dtypes[name], request.arrays[name].shape) for name in names}
            check_golden(request.golden_source, request.golden, shapes)
            return request.golden, request.golden_source, request.golden_source
        if request.kernel is not None:
            contents = evaluate(request.kernel, request.arrays, self.scalars)
            exact = {name: contents[name] for name in names}
            return exact, "the Tensor graph evaluated in float64", "以 float64 计算的 Tensor 图"
        exact = {name: self.trace.shadow.contents(name, request.arrays[name]) for name in names}
        return exact, "exact arithmetic along the program", "沿程序的精确运算"

    def _depth(self) -> int:
        if self.request.kernel is None:
            return max((record.depth for record in self.trace.records), default=1)
        shapes = {
            f"{name}.shape[{axis}]": extent
            for name, array in self.request.arrays.items()
            for axis, extent in enumerate(array.shape)
        }
        return reduction_depth(self.request.kernel, {**shapes, **self.scalars})

    def _output(self, name: str, actual: Array, golden: Array, depth: int, tolerance: Tolerance | None) -> Output:
        dtype = next(parameter.dtype for parameter in self.request.program.parameters if parameter.name == name)
        return Output(name, dtype, actual, golden, compare(actual, golden, dtype, depth, tolerance))

    def _departure(self, output: Output, golden: Mapping[str, Array]) -> Departure | None:
        place = output.verdict.metrics.worst
        if place is None:
            return None
        flat = int(np.ravel_multi_index(place, output.actual.shape)) if place else 0
        records = slice_of(self.trace, output.name, flat)
        if not records:
            return self._never_written(output, place)
        limits = output.verdict.tolerance
        exact = self.trace.shadow.contents(output.name, output.actual)[place]
        ideal = float(np.asarray(output.golden, np.float64)[place])
        permitted = limits.absolute + limits.relative * abs(ideal)
        agrees = _close(float(exact), ideal, permitted)
        departs = first_departure(records, _permitted_departure(output)) is not None
        if agrees or (departs and first_leftover(records) is None):
            return self._arithmetic(output, records)
        return self._program_fault(output, records, golden)

    def _arithmetic(self, output: Output, records: list[Record]) -> Departure:
        permitted = _permitted_departure(output)
        record = first_departure(records, permitted)
        if record is not None:
            texts = (
                f"its result departs by {record.departure:.3g} (relative to its tile) from exact arithmetic, "
                f"its inputs by {record.input_departure:.3g}; {permitted:.3g} is permitted",
                f"其结果与精确运算相差 {record.departure:.3g}（相对于该 tile），输入相差 {record.input_departure:.3g}，"
                f"允许 {permitted:.3g}",
            )
        else:
            record = max(records, key=lambda found: found.departure - found.input_departure)
            texts = (
                f"errors accumulate over {len(records)} instructions; this one adds most, {record.departure:.3g}",
                f"误差在 {len(records)} 条指令上累积；此处增加最多：{record.departure:.3g}",
            )
        return describe(Cause.ARITHMETIC, record, records, output.name, texts, self._retrace)

    def _program_fault(self, output: Output, records: list[Record], golden: Mapping[str, Array]) -> Departure:
        record = first_leftover(records)
        if record is not None:
            texts = _leftover_texts(record)
            return describe(Cause.LEFTOVER, record, records, output.name, texts, self._retrace)
        repair = None
        if self.request.kernel is not None and self.request.golden is not None:
            repair = find_repair(self.request.kernel, self.request.arrays, self.scalars, self._agrees(golden))
        if repair is not None:
            return Departure(
                Cause.OPERATION,
                repair.operation.origin,
                repair.operation.opcode,
                f"{repair.description}, this operation makes the kernel reproduce the golden",
                f"若该操作{repair.description_zh}，内核的结果即与 golden 一致",
                output.name,
                chain=links(records),
            )
        texts = (
            "every instruction on the way to the worst element is exact: the program computes something else than the "
            "golden",
            "通向误差最大元素的每条指令都是精确的：程序计算的内容与 golden 不同",
        )
        return describe(Cause.CHAIN, records[-1], records, output.name, texts, self._retrace)

    def _agrees(self, golden: Mapping[str, Array]) -> Any:
        dtypes = {parameter.name: parameter.dtype for parameter in self.request.program.parameters}

        def agrees(results: Mapping[str, Array]) -> bool:
            return all(
                compare(results[name], np.asarray(array), dtypes[name], self._depth()).level is Level.PASS
                for name, array in golden.items()
            )

        return agrees

    def _never_written(self, output: Output, place: tuple[int, ...]) -> Departure:
        return Departure(
            Cause.CHAIN,
            self.request.program.origin,
            "",
            f"no instruction writes element {list(place)} of {output.name}",
            f"没有指令写入 {output.name} 的元素 {list(place)}",
            output.name,
        )


def _permitted_departure(output: Output) -> float:
    """How far an instruction on the way may depart: as far as the output, or half a step of an integer output."""
    if output.dtype.is_float:
        return output.verdict.tolerance.relative
    scale = float(np.sqrt(np.mean(np.square(np.asarray(output.golden, np.float64)))))
    return 0.25 / max(scale, 1.0)


def _rank(level: Level, excess: float) -> tuple[int, float]:
    return list(Level).index(level), excess


def _close(found: float, ideal: float, permitted: float) -> bool:
    if np.isfinite(found) and np.isfinite(ideal):
        return abs(found - ideal) <= permitted
    return found == ideal or (np.isnan(found) and np.isnan(ideal))


def _leftover_texts(record: Record) -> tuple[str, str]:
    if record.uninitialised:
        count = record.uninitialised
        return f"it reads {count} elements that nothing has written", f"它读取了 {count} 个从未写入的元素"
    return (
        f"it reads {record.stale} elements that an earlier, larger load left in the tile",
        f"它读取了先前较大的加载遗留在 tile 中的 {record.stale} 个元素",
    )
