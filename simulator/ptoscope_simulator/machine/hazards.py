"""Shadow state of the logged run: who wrote and read each cell last, and what is wrong with that.

Two accesses race when neither happens before the other: their pipes are different and no flag, barrier, mutex or
dependency orders them. Order is kept as vector clocks: a clock says, per pipe, up to which access it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic, Facts, Related
from ptoscope_compiler.diagnostics.rules import (
    pt151_misaligned_access,
    pt351_uninitialised_read,
    pt552_flag_set_twice,
    pt553_flag_never_awaited,
    pt554_race,
    pt555_cross_core_flag_overflow,
)

from .cells import Cells
from .core import Core
from .errors import MachineError
from .faults import operand_name, operation_name
from .journal import Journal, JournaledDict

if TYPE_CHECKING:
    from .states import Unit

Clock = NDArray[np.int32]
"""Per unit, the last of its accesses that is known to have happened before. Never changed in place."""
Policy = Literal["off", "warn", "raise"]
CROSS_CORE_COUNTER = 15
_TURNED = {"read after write": "write after read", "write after read": "read after write"}


@dataclass(frozen=True)
class Checks:
    """What to do about each kind of hazard. An access out of bounds that is not raised is skipped."""

    oob: Policy = "raise"
    uninit: Policy = "warn"
    races: Policy = "warn"
    misaligned: Policy = "warn"
    flags: Policy = "warn"


@dataclass(frozen=True, slots=True)
class Access:
    """One execution that touched memory: the `stamp`-th of its unit, the `number`-th in the order of issue."""

    unit: Unit
    stamp: int
    number: int
    statement: Any
    core: str


@dataclass
class _Plane:
    """Number of the last access per cell; readers apart by the pipe that read."""

    writers: NDArray[np.int32]
    readers: dict[Any, NDArray[np.int32]] = field(default_factory=dict)

    def readers_of(self, pipe: Any) -> NDArray[np.int32]:
        found = self.readers.get(pipe)
        if found is None:
            found = self.readers[pipe] = np.zeros_like(self.writers)
        return found


def joined(*clocks: Clock) -> Clock:
    """The clock that knows what any of `clocks` knows."""
    merged: Clock = clocks[0]
    for clock in clocks[1:]:
        if clock is not merged:
            merged = np.maximum(merged, clock)
    return merged


class Hazards:
    """Finds hazards, and reports each pair of lines once."""

    def __init__(self, checks: Checks, journal: Journal, report: Callable[[str, Diagnostic], None]) -> None:
        self.checks = checks
        self._journal = journal
        self._report = report
        self._planes: JournaledDict[Any, _Plane] = JournaledDict(journal)
        self._accesses: JournaledDict[int, Access] = JournaledDict(journal)
        self._forgotten: JournaledDict[Any, int] = JournaledDict(journal)
        self._reported: JournaledDict[Any, bool] = JournaledDict(journal)

    def forget_core(self, core: Core) -> None:
        """What is in a core's own buffers does not survive from one call to the next."""
        self._forgotten[core.key] = len(self._accesses)

    def access(
        self,
        access: Access,
        clock: Clock,
        reads: list[tuple[Any, Cells]],
        writes: list[Cells],
        fully_written: Callable[[Cells], bool],
    ) -> None:
        """Check and note one execution.

        `reads` pairs operands with their cells; where the operand is None, cells that hold no data may be read.
        `fully_written` says whether a memory holds data from the start.
        """
        number = len(self._accesses) + 1
        self._accesses[number] = access
        for operand, cells in reads:
            plane = self._plane(cells)
            found = self._numbers(plane.writers, cells)
            self._check_written(access, operand, cells, found, fully_written)
            self._check_order("read after write", access, clock, cells, found)
        for cells in writes:
            plane = self._plane(cells)
            self._check_order("write after write", access, clock, cells, self._numbers(plane.writers, cells))
            for pipe, readers in plane.readers.items():
                if pipe is not access.unit.pipe or not cells.is_on_chip:
                    self._check_order("write after read", access, clock, cells, self._numbers(readers, cells))
        for _, cells in reads:
            self._note(self._plane(cells).readers_of(access.unit.pipe), cells, number)
        for cells in writes:
            self._note(self._plane(cells).writers, cells, number)

    def _numbers(self, plane: NDArray[np.int32], cells: Cells) -> NDArray[np.int32]:
        """The accesses that a plane holds for the cells; 0 for those before the owner's present call."""
        found: NDArray[np.int32] = plane[cells.place]
        forgotten = self._forgotten.get(cells.owner, 0)
        return np.where(found > forgotten, found, 0) if forgotten else found

    def _plane(self, cells: Cells) -> _Plane:
        found = self._planes.get(cells.key)
        if found is None:
            found = self._planes[cells.key] = _Plane(np.zeros(cells.size, np.int32))
        return found

    def _note(self, plane: NDArray[np.int32], cells: Cells, number: int) -> None:
        place = cells.place
        self._journal.cells(plane, place)
        plane[place] = number

    def _check_order(self, kind: str, access: Access, clock: Clock, cells: Cells, others: NDArray[np.int32]) -> None:
        if self.checks.races == "off":
            return
        for number in np.unique(others).tolist():
            if number == 0:
                continue
            other = self._accesses[number]
            if other.unit is access.unit or clock[other.unit.number] >= other.stamp:
                continue
            self._race(kind, access, other, cells.key[1])

    def _race(self, kind: str, access: Access, other: Access, memory: Any) -> None:
        """Report a pair in the order of issue, whichever came first in simulated time."""
        earlier, later = other, access
        if earlier.number > later.number:
            earlier, later, kind = later, earlier, _TURNED.get(kind, kind)
        first, second = (
            f"{operation_name(one.statement)} on {one.unit.pipe.value} of {one.core}" for one in (earlier, later)
        )
        place, opcode = earlier.statement.origin.span, operation_name(earlier.statement)
        finding = pt554_race.RULE.at(
            later.statement.origin,
            related=(Related(place, f"{opcode} here", f"{opcode} 在此"),),
            hazard=kind,
            first=first,
            second=second,
            memory=getattr(memory, "value", memory),
        )
        self.found(later.core, finding, self.checks.races, ("race", place, later.statement.origin.span))

    def _check_written(
        self,
        access: Access,
        operand: Any,
        cells: Cells,
        writers: NDArray[np.int32],
        fully_written: Callable[[Cells], bool],
    ) -> None:
        if operand is None or self.checks.uninit == "off" or fully_written(cells):
            return
        count = int((writers == 0).sum()) // cells.width
        if count:
            statement = access.statement
            finding = pt351_uninitialised_read.RULE.at(
                statement.origin,
                Facts(operation_name(statement), operand_name(operand), count),
                operation=operation_name(statement),
                count=count,
                total=cells.indices.size,
                what=operand_name(operand),
            )
            self.found(
                access.core, finding, self.checks.uninit, ("uninit", statement.origin.span, operand_name(operand))
            )

    def misaligned(self, core: str, statement: Any, operand: Any, address: int, space: Any, alignment: int) -> None:
        finding = pt151_misaligned_access.RULE.at(
            statement.origin,
            operation=f"{operation_name(statement)}, {operand_name(operand)}",
            address=address,
            space=space.value,
            alignment=alignment,
        )
        self.found(core, finding, self.checks.misaligned, ("misaligned", statement.origin.span, operand_name(operand)))

    def flag_set_twice(self, core: str, statement: Any, flag: str) -> None:
        finding = pt552_flag_set_twice.RULE.at(statement.origin, flag=flag)
        self.found(core, finding, self.checks.flags, ("twice", statement.origin.span))

    def flag_never_awaited(self, core: str, statement: Any, flag: str) -> None:
        finding = pt553_flag_never_awaited.RULE.at(statement.origin, flag=flag)
        self.found(core, finding, self.checks.flags, ("left", statement.origin.span))

    def cross_core_overflow(self, core: str, statement: Any, event: int, count: int) -> None:
        finding = pt555_cross_core_flag_overflow.RULE.at(
            statement.origin, event=event, count=count, limit=CROSS_CORE_COUNTER
        )
        self.found(core, finding, self.checks.flags, ("overflow", statement.origin.span))

    def found(self, core: str, finding: Diagnostic, policy: Policy, key: Any) -> None:
        """Report `finding` once per `key`; MachineError where the policy is to raise."""
        if policy == "off" or key in self._reported:
            return
        self._reported[key] = True
        if policy == "raise":
            raise MachineError(finding)
        self._report(core, finding)
