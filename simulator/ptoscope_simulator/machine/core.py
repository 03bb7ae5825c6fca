"""One core while it runs: its variables, memories, registers and place in the program."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from ptoscope_compiler.hardware import CoreKind

from .memory import CoreMemory, GlobalBuffer
from .scalars import Variables

if TYPE_CHECKING:
    from ptoscope_compiler.pto.program import SyncAll, WaitCrossCore

    from .flags import EventFlags


class Core:
    """State of one core. `views` caches operand arrays over `memory`; `place` is the index of the next step."""

    __slots__ = (
        "block", "buffers", "flags", "fuel", "kind", "memory", "place", "registers", "sub", "variables", "views",
        "waiting",
    )  # fmt: skip

    def __init__(self, kind: CoreKind, memory: CoreMemory, flags: EventFlags, block: int = 0, sub: int = 0) -> None:
        self.kind = kind
        self.memory = memory
        self.flags = flags
        self.block = block
        self.sub = sub
        self.views: dict[Any, Any] = {}
        self.registers: dict[str, NDArray[Any]] = {}
        self.buffers: Mapping[str, GlobalBuffer] = {}
        self.variables = Variables(read=self.read_element)
        self.place = 0
        self.fuel = 0
        self.waiting: WaitCrossCore | SyncAll | None = None

    def at_issue(self, variables: Variables) -> Core:
        """The same core with the variables of now, for an instruction that runs later."""
        frozen = copy.copy(self)
        frozen.variables = variables
        return frozen

    @property
    def key(self) -> tuple[CoreKind, int, int]:
        """Kind, block and number within the block."""
        return self.kind, self.block, self.sub

    @property
    def name(self) -> str:
        """`AIC3`, or `AIV3.1` for the second vector core of block 3."""
        return f"{self.kind.value}{self.block}" + (f".{self.sub}" if self.kind is CoreKind.AIV else "")

    def read_element(self, buffer: str, indices: tuple[int, ...]) -> Any:
        """One element of a buffer in global memory, for scalar expressions."""
        return self.buffers[buffer].read(indices)

    def begin(
        self, buffers: Mapping[str, GlobalBuffer], values: Mapping[Any, Any], scalars: Mapping[str, Any], fuel: int
    ) -> None:
        """Stand at the start of a core program, with its buffers bound, and its scalars over the `values` around it;
        memories keep their bytes."""
        self.buffers = buffers
        self.variables = Variables(values, self.read_element)
        self.variables.update(scalars)
        self.registers.clear()
        self.flags.counts.clear()
        self.place = 0
        self.fuel = fuel
        self.waiting = None
