"""Which pipe runs a tile operation, and roughly for how long.

Sources: the opcode table `framework/src/interface/operation/opcode.cpp` of hicann/pypto; COPY_IN and COPY_OUT by the
memory they touch (`framework/src/codegen`).
"""

from __future__ import annotations

from math import prod

from ..hardware import MemorySpace, Pipe
from ..ir.graph import LogicalTensor, Operation
from .tiles import on_chip, root

_FROM_L1 = frozenset({MemorySpace.L0A, MemorySpace.L0B, MemorySpace.BT, MemorySpace.L0A_MX, MemorySpace.L0B_MX})
_NOTHING = frozenset({"RESHAPE", "NOP", "HUB", "BIND_TENSOR"})
_ALIASES = frozenset({"VIEW", "SLICE", "ASSEMBLE", "CONTRACT"})
_BY_NAME = {
    "GATHER_IN_UB": Pipe.MTE2,
    "GATHER_IN_L1": Pipe.MTE2,
    "TRANSPOSE_MOVEIN": Pipe.MTE2,
    "INDEX_OUTCAST": Pipe.MTE3,
    "INDEX_ADD": Pipe.MTE3,
    "INDEX_PUT": Pipe.MTE3,
}
_START_UP = 64
_BYTES_PER_CYCLE = {Pipe.MTE2: 32, Pipe.MTE3: 64, Pipe.MTE1: 256, Pipe.FIX: 64, Pipe.V: 256, Pipe.S: 4}
_MULTIPLIES_PER_CYCLE = 16 * 16 * 16


def pipe_of(operation: Operation) -> Pipe | None:
    """The pipe of an operation; None where it only names memory."""
    if operation.opcode in _BY_NAME:
        return _BY_NAME[operation.opcode]
    if operation.opcode in _NOTHING or not operation.outputs:
        return None
    target = operation.outputs[0]
    if operation.opcode.startswith("A_MUL") or operation.opcode.startswith("At_MUL"):
        return Pipe.M
    source = operation.inputs[0] if operation.inputs else target
    if operation.opcode in _ALIASES and root(source.raw).id == root(target.raw).id:
        return None
    return _pipe_between(source, target)


def _pipe_between(source: LogicalTensor, target: LogicalTensor) -> Pipe | None:
    if not on_chip(source) and not on_chip(target):
        return None
    if source.memory is MemorySpace.L0C or target.memory is MemorySpace.FB:
        return Pipe.FIX
    if not on_chip(source):
        return Pipe.MTE2
    if not on_chip(target) or (source.memory, target.memory) == (MemorySpace.UB, MemorySpace.L1):
        return Pipe.MTE3
    if target.memory in _FROM_L1 or source.memory is MemorySpace.L1:
        return Pipe.MTE1
    return Pipe.V


def latency(operation: Operation) -> int:
    """Cycles for the scheduler's choice between orders; the simulator's cost model is finer."""
    pipe = pipe_of(operation)
    if pipe is None:
        return 1
    if pipe is Pipe.M:
        m, k = operation.inputs[0].shape[-2:]
        n = operation.inputs[1].shape[-1]
        return _START_UP + int(m) * int(k) * int(n) // _MULTIPLIES_PER_CYCLE  # type: ignore[arg-type]
    tensor = next((t for t in (*operation.inputs, *operation.outputs) if on_chip(t)), operation.outputs[0])
    size = prod(extent for extent in tensor.shape if isinstance(extent, int)) * tensor.dtype.bits // 8
    return _START_UP + size // _BYTES_PER_CYCLE[pipe]
