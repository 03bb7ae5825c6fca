"""Flags, barriers, and markers that are not instructions."""

from __future__ import annotations

from ...hardware import Pipe
from ...ir.graph import Operation
from ...pto.program import Barrier, SetFlag, WaitFlag
from ..registry import Stream, lowers

_BARRIERS = {"BAR.V": Pipe.V, "BAR.M": Pipe.M, "BAR.ALL": Pipe.ALL}


@lowers("SYNC_SRC")
def set_flag(stream: Stream, operation: Operation) -> None:
    source, target, event = operation.attributes["sync"]
    stream.body.append(SetFlag(source, target, event, operation.origin))


@lowers("SYNC_DST")
def wait_flag(stream: Stream, operation: Operation) -> None:
    source, target, event = operation.attributes["sync"]
    stream.body.append(WaitFlag(source, target, event, operation.origin))


@lowers(*_BARRIERS)
def barrier(stream: Stream, operation: Operation) -> None:
    stream.body.append(Barrier(_BARRIERS[operation.opcode], operation.origin))


@lowers("PHASE1", "PHASE2", "NOP", "HUB", "BIND_TENSOR")
def marker(stream: Stream, operation: Operation) -> None:
    """Nothing: the machine starts a call when all it waits for is complete."""
