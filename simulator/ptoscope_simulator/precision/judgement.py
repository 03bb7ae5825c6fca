"""What the judge found, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType
from ptoscope_compiler.origin import Origin

from .verdict import Level, Verdict

Array = NDArray[Any]


class Cause(Enum):
    """How the line was found.

    - ARITHMETIC: the first instruction on the way to the worst element whose result departs from exact arithmetic
      although its inputs do not.
    - LEFTOVER: the program reads elements on chip that nothing wrote, or that an earlier, larger load left there.
    - OPERATION: exact arithmetic along the program departs from the golden too, and changing this one operation of the
      Tensor graph (axis, transposition, order of operands, shape) makes it reproduce the golden.
    - CHAIN: exact arithmetic departs too and no single change explains it: the instructions that lead to the worst
      element, last first.
    """

    ARITHMETIC = "arithmetic"
    LEFTOVER = "leftover"
    OPERATION = "operation"
    CHAIN = "chain"


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of the departing instruction. Errors are against exact arithmetic; None for integers and scalars."""

    name: str
    role: str
    dtype: str
    shape: tuple[int, ...]
    max_absolute: float | None
    max_relative: float | None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """Part of a tensor: first index and extent per axis."""

    tensor: str
    start: tuple[int, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """An instruction on the way to the worst element, with its departure from exact arithmetic."""

    origin: Origin
    opcode: str
    departure: float


@dataclass(frozen=True, slots=True)
class Departure:
    """The line that makes an output wrong. `element` is the worst place in the instruction's result tile."""

    cause: Cause
    origin: Origin
    opcode: str
    explanation: str
    explanation_zh: str
    output: str
    core: str = ""
    call: str = ""
    grid: tuple[int, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    element: tuple[int, ...] | None = None
    actual: float | None = None
    exact: float | None = None
    operands: tuple[Operand, ...] = ()
    region: Region | None = None
    chain: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """Largest departure from exact arithmetic of the results that one source line made with one opcode."""

    origin: Origin
    opcode: str
    departure: float
    executions: int


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One output: what came out, what should have, and the verdict."""

    name: str
    dtype: DType
    actual: Array
    golden: Array
    verdict: Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """The judgement on one launch of a kernel."""

    kernel: str
    target: str
    golden: str
    golden_zh: str
    depth: int
    outputs: tuple[Output, ...]
    departure: Departure | None
    growth: tuple[GrowthPoint, ...] = ()

    @property
    def level(self) -> Level:
        """The worst verdict of all outputs."""
        order = list(Level)
        return max((output.verdict.level for output in self.outputs), key=order.index, default=Level.PASS)

    @property
    def exit_code(self) -> int:
        """0 where every output passes or is acceptable, else 1."""
        return 1 if self.level.is_finding else 0
