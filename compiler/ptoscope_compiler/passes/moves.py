"""The four opcodes that only move or alias data, in two pairs.

VIEW and ASSEMBLE are aliases of a tensor's storage; SLICE and CONTRACT are copies.
"""

from __future__ import annotations

from typing import Any

from ..ir.graph import Operation
from ..origin import Origin
from ..scalar import ScalarLike

VIEW_LIKE = frozenset({"VIEW", "SLICE"})
ASSEMBLE_LIKE = frozenset({"ASSEMBLE", "CONTRACT"})
PRODUCTS = frozenset({"A_MUL_B", "A_MULACC_B"})


def is_view(operation: Operation) -> bool:
    """Reads a window of its input."""
    return operation.opcode in VIEW_LIKE


def is_assemble(operation: Operation) -> bool:
    """Writes a window of its output."""
    return operation.opcode in ASSEMBLE_LIKE


def offset_of(operation: Operation) -> tuple[ScalarLike, ...]:
    """Where the window of a move starts, per axis."""
    offset: tuple[ScalarLike, ...] = operation.attributes["offset"]
    return offset


def static_offset(operation: Operation) -> tuple[int, ...] | None:
    """The offset of a move if it is known now."""
    offset = offset_of(operation)
    return tuple(offset) if all(isinstance(start, int) for start in offset) else None  # type: ignore[arg-type]


def is_zero(offset: tuple[ScalarLike, ...]) -> bool:
    return all(start == 0 for start in offset)


def with_offset(operation: Operation, offset: tuple[ScalarLike, ...]) -> dict[str, Any]:
    """The attributes of a move with another offset."""
    return {**operation.attributes, "offset": offset}


def first_user_origin(chain: list[Operation]) -> Operation:
    """The operation of a chain that speaks for it: the first that the user's source asked for."""
    return next((link for link in chain if not link.attribute("IS_GLOBAL_INPUT")), chain[-1])


def origin_of(chain: list[Operation]) -> Origin:
    return first_user_origin(chain).origin
