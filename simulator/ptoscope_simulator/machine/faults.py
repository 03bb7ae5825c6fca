"""From an exception within a step to the coded finding that tells the program's author what went wrong."""

from __future__ import annotations

from typing import Any

from ptoscope_compiler.diagnostics.diagnostic import Facts
from ptoscope_compiler.diagnostics.rules import (
    pt251_access_out_of_bounds,
    pt252_element_out_of_bounds,
    pt551_deadlock,
    pt951_run_budget,
    pt952_unmodelled_instruction,
    pt953_unbound_scalar,
    pt954_instruction_fault,
)
from ptoscope_compiler.pto.operands import Tile, Window
from ptoscope_compiler.pto.program import Instruction, ReadElement, WriteElement

from ..instructions.registry import UnknownInstruction
from .core import Core
from .errors import MachineError
from .operands import Footprint, TileOperand, WindowOperand, prepare
from .scalars import UnboundScalar


def operation_name(statement: Any) -> str:
    """What a message calls a statement: the opcode of an instruction, else its kind."""
    return statement.opcode if isinstance(statement, Instruction) else type(statement).__name__


def operand_name(operand: Any) -> str:
    """What a message calls an operand."""
    if isinstance(operand, Window):
        return f"window of {operand.buffer}"
    if isinstance(operand, Tile):
        return f"tile {operand.name}" if operand.name else f"tile at {operand.type.space.value}+{operand.address}"
    return str(operand)


def memory_size(core: Core, memory: Any) -> int:
    """Cells of a memory: bytes of a space, elements of a global buffer."""
    if isinstance(memory, str):
        buffer = core.buffers[memory]
        return int(buffer.bytes.size) // buffer.dtype.bytes
    return int(core.memory[memory].size)


def out_of_bounds(statement: Any, operand: Any, footprint: Footprint, size: int) -> MachineError:
    """The finding for an access that leaves `footprint.memory`, which has `size` cells."""
    on_chip = not isinstance(footprint.memory, str)
    return MachineError(
        pt251_access_out_of_bounds.RULE.at(
            statement.origin,
            Facts(operation_name(statement), operand_name(operand), footprint.elements, None, size),
            operation=operation_name(statement),
            what=operand_name(operand),
            unit="byte" if on_chip else "element",
            start=footprint.start,
            stop=footprint.stop - 1,
            memory=footprint.memory if isinstance(footprint.memory, str) else footprint.memory.value,
            limit=size,
        )
    )


def fault(statement: Any, error: Exception, core: Core | None) -> MachineError:
    """The finding for `error`, raised while `statement` ran on `core`."""
    if isinstance(error, MachineError):
        return error
    origin, operation = statement.origin, operation_name(statement)
    if isinstance(error, UnknownInstruction):
        return MachineError(pt952_unmodelled_instruction.RULE.at(origin, opcode=error.opcode))
    if isinstance(error, UnboundScalar):
        return MachineError(pt953_unbound_scalar.RULE.at(origin, name=error.name))
    if core is not None:
        outside = _outside(statement, core)
        if outside is not None:
            return outside
    if isinstance(error, IndexError):
        return MachineError(pt252_element_out_of_bounds.RULE.at(origin, operation=operation, reason=str(error)))
    return MachineError(pt954_instruction_fault.RULE.at(origin, operation=operation, reason=str(error)))


def _outside(statement: Any, core: Core) -> MachineError | None:
    """The first operand of `statement` that leaves its memory."""
    operands: tuple[Any, ...] = ()
    if isinstance(statement, Instruction):
        operands = (*statement.inputs, *statement.outputs)
    elif isinstance(statement, ReadElement):
        operands = (statement.source,)
    elif isinstance(statement, WriteElement):
        operands = (statement.target,)
    for operand in operands:
        if isinstance(operand, (Tile, Window)):
            ready = prepare(operand)
            assert isinstance(ready, (TileOperand, WindowOperand))
            footprint = ready.footprint(core)
            size = memory_size(core, footprint.memory)
            if footprint.start < 0 or footprint.stop > size:
                return out_of_bounds(statement, operand, footprint, size)
    return None


def budget_exceeded(loop: Any, limit: int) -> MachineError:
    """The finding for a loop that has used up the step budget."""
    return MachineError(pt951_run_budget.RULE.at(loop.origin, limit=limit))


def deadlock(statement: Any, chain: str, related: tuple[Any, ...] = ()) -> MachineError:
    """The finding for a program that stops for ever at `statement`."""
    return MachineError(pt551_deadlock.RULE.at(statement.origin, related=related, chain=chain))
