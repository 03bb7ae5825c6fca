"""How many cycles an instruction keeps its pipe busy."""

from __future__ import annotations

from ptoscope_compiler.hardware import Pipe

from .core import Core
from .instruction import PreparedInstruction

_STARTUP = {Pipe.M: 4, Pipe.MTE2: 3, Pipe.MTE3: 3, Pipe.FIX: 3, Pipe.MTE1: 1, Pipe.V: 2, Pipe.S: 1}
_ELEMENTS_PER_CYCLE = {Pipe.M: 16, Pipe.MTE2: 32, Pipe.MTE3: 32, Pipe.FIX: 32, Pipe.MTE1: 64, Pipe.V: 32, Pipe.S: 1}


def instruction_cycles(prepared: PreparedInstruction, core: Core) -> int:
    """Start-up plus elements over throughput, by pipe (the latency fall-back of PTO-ISA's `perf_sim`)."""
    pipe = prepared.statement.pipe
    if pipe is Pipe.S:
        return 1
    elements = 1
    for operand in prepared.outputs:
        extent = operand.extent(core)
        size = 1
        for length in extent:
            size *= length
        elements = max(elements, size)
    return _STARTUP[pipe] + -(-elements // _ELEMENTS_PER_CYCLE[pipe])
