"""Memories that opcodes read and write, where they are not UB throughout.

None: decided by neighbours. Source: `framework/src/interface/operation/opcode.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ...hardware import MemorySpace
from ...ir.graph import Operation

GM, UB = MemorySpace.GM, MemorySpace.UB
L0C = MemorySpace.L0C

PRODUCTS = frozenset({"A_MUL_B", "A_MULACC_B"})
_UNDECIDED = frozenset({"RESHAPE", "VIEW", "ASSEMBLE", "SLICE", "VIEW_TYPE", "CONVERT", "NOP"})

_INPUTS: dict[str, tuple[MemorySpace, ...]] = {
    "TRANSPOSE_MOVEIN": (GM,),
    "PERMUTE": (GM,),
    "PERMUTE_ELEMENT": (GM,),
    "GATHER": (GM, GM),
    "GATHER_IN_L1": (GM, GM, GM),
    "GATHER_IN_UB": (GM, GM, GM),
    "INDEX_PUT": (GM,),
    "INDEX_ADD": (GM,),
    "INDEX_OUTCAST": (UB, UB, GM),
    "REDUCE_ACC": (GM, GM),
    "ASSEMBLE_SSA": (UB, GM),
    "ATOMIC_RMW": (GM,),
    "HUB": (GM,),
}
_OUTPUTS: dict[str, tuple[MemorySpace, ...]] = {
    "TRANSPOSE_MOVEOUT": (GM,),
    "GATHER_IN_L1": (MemorySpace.L1,),
    "INDEX_PUT": (GM,),
    "INDEX_ADD": (GM,),
    "INDEX_OUTCAST": (GM,),
    "REDUCE_ACC": (GM,),
    "CONTRACT": (GM,),
    "ASSEMBLE_SSA": (GM,),
    "ATOMIC_RMW": (GM,),
    "HUB": (GM,),
    "A_MUL_B": (L0C,),
    "A_MULACC_B": (L0C,),
}
_COPIES = frozenset({"CONTRACT"})


def input_memory(operation: Operation, index: int) -> MemorySpace | None:
    """The memory in which `operation` reads its input `index`."""
    if operation.opcode in _UNDECIDED or operation.opcode in _COPIES:
        return None
    given = _INPUTS.get(operation.opcode, ())
    return given[index] if index < len(given) else UB


def output_memory(operation: Operation, index: int) -> MemorySpace | None:
    """The memory into which `operation` writes its output `index`; scratch is in UB."""
    if operation.opcode in _UNDECIDED:
        return None
    given = _OUTPUTS.get(operation.opcode, ())
    return given[index] if index < len(given) else UB
