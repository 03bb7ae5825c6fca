"""From a traced run to the line that makes an output wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.pto.operands import Mask, Register, Tile, Window

from ..machine.faults import operand_name, operation_name
from .judgement import Cause, Departure, GrowthPoint, Link, Operand, Region
from .trace import Capture, OperandValue, Record, Trace

Array = NDArray[Any]
Retrace = Callable[[frozenset[int]], Trace]
_LONGEST_CHAIN = 12


def slice_of(trace: Trace, buffer: str, place: int) -> list[Record]:
    """The executions that lead to element `place` (flat) of a buffer, in order."""
    plane = trace.shadow.planes.get(("GM", buffer))
    last = int(plane.writers[place]) if plane is not None else 0
    reached: set[int] = set()
    waiting = [last] if last else []
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting.extend(trace.records[number - 1].sources)
    return [trace.records[number - 1] for number in sorted(reached)]


def first_departure(records: Iterable[Record], permitted: float) -> Record | None:
    """The first execution that departs by more than `permitted`, relative, though its inputs do not."""
    for record in records:
        if record.departure > permitted >= record.input_departure:
            return record
    return None


def first_leftover(records: Iterable[Record]) -> Record | None:
    """The first execution that reads elements which nothing wrote, or which an earlier load left over."""
    return next((record for record in records if record.uninitialised or record.stale), None)


def growth(trace: Trace) -> tuple[GrowthPoint, ...]:
    """The departure of each source line and opcode, in the order in which they first ran."""
    points: dict[tuple[Any, str], list[Any]] = {}
    for record in trace.records:
        opcode = operation_name(record.statement)
        point = points.setdefault((record.statement.origin.span, opcode), [record.statement.origin, opcode, 0.0, 0])
        point[2] = max(point[2], record.departure)
        point[3] += 1
    return tuple(GrowthPoint(*point) for point in points.values())


def links(records: list[Record]) -> tuple[Link, ...]:
    """Distinct lines of a slice, last first."""
    found: dict[tuple[Any, str], Link] = {}
    for record in reversed(records):
        opcode = operation_name(record.statement)
        key = (record.statement.origin.span, opcode)
        if key not in found and len(found) < _LONGEST_CHAIN:
            found[key] = Link(record.statement.origin, opcode, record.departure)
    return tuple(found.values())


def describe(
    cause: Cause, record: Record, records: list[Record], output: str, texts: tuple[str, str], retrace: Retrace
) -> Departure:
    """The departure at `record` in full, with its operands, from a second run that keeps them."""
    store = records[-1]
    captured = retrace(frozenset({record.number, store.number})).captured
    capture = captured.get(record.number)
    task = record.task
    region = _region(captured.get(store.number), output)
    if capture is None:
        return Departure(
            cause, record.statement.origin, operation_name(record.statement), *texts, output, record.core,
            region=region, chain=links(records),
        )  # fmt: skip
    element, actual, exact = _worst_element(capture)
    return Departure(
        cause,
        record.statement.origin,
        operation_name(record.statement),
        *texts,
        output,
        record.core,
        task.call.callee if task else "",
        task.grid if task else (),
        capture.variables,
        element,
        actual,
        exact,
        (*_operands(capture.inputs, "input", element), *_operands(capture.outputs, "output", element)),
        region,
        links(records),
    )


def _worst_element(capture: Capture) -> tuple[tuple[int, ...] | None, float | None, float | None]:
    for value in capture.outputs:
        if isinstance(value.real, np.ndarray) and value.real.size:
            error = _error(value)
            place = tuple(int(i) for i in np.unravel_index(int(error.argmax()), error.shape))
            return place, float(value.real[place]), float(np.asarray(value.exact)[place])
    return None, None, None


def _error(value: OperandValue) -> Array:
    """Absolute errors; infinite where one side only is NaN or infinite."""
    real, exact = np.asarray(value.real, np.float64), np.asarray(value.exact, np.float64)
    same = (real == exact) | (np.isnan(real) & np.isnan(exact))
    with np.errstate(all="ignore"):
        error = np.abs(real - exact)
    return np.where(same, 0.0, np.where(np.isfinite(error), error, np.inf))


def _operands(values: tuple[OperandValue, ...], role: str, element: tuple[int, ...] | None) -> tuple[Operand, ...]:
    found = []
    for value in values:
        operand = value.operand
        if not isinstance(operand, (Tile, Window, Register, Mask)):
            number = float(np.asarray(value.real)) if np.ndim(value.real) == 0 else None
            found.append(Operand("scalar", role, "scalar", (), None, None, number))
            continue
        dtype = operand.type.dtype if isinstance(operand, Tile) else operand.dtype
        name = operand.name if isinstance(operand, (Register, Mask)) else operand_name(operand)
        real = np.asarray(value.real)
        absolute = relative = None
        if dtype.is_float and real.size:
            error = _error(value)
            absolute = float(error.max())
            scale = np.abs(np.asarray(value.exact, np.float64))
            with np.errstate(all="ignore"):
                relative = float(np.where(error > 0, error / scale, 0.0).max())
        at = element if element is not None and len(element) == real.ndim else None
        inside = at is not None and all(i < size for i, size in zip(at, real.shape, strict=True))
        number = float(real[at]) if inside and at is not None else None
        found.append(Operand(name, role, dtype.name, real.shape, absolute, relative, number))
    return tuple(found)


def _region(capture: Capture | None, output: str) -> Region | None:
    if capture is None or not capture.outputs:
        return None
    for name, start in capture.windows:
        if name == output:
            shape = np.shape(capture.outputs[0].real)
            return Region(output, start, (1,) * (len(start) - len(shape)) + tuple(shape[-len(start) :]))
    return None
