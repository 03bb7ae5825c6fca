"""How many cycles an instruction keeps its pipe busy."""

from __future__ import annotations

from ..instructions.costs import cycles
from .core import Core
from .instruction import PreparedInstruction


def instruction_cycles(prepared: PreparedInstruction, core: Core) -> int:
    """The cost of the instruction under the core's variables, by the target's public figures."""
    return cycles(prepared.statement.opcode, prepared.context(core))
