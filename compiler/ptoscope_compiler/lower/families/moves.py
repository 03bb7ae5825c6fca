"""Moves between memories, and views that had to become copies.

Source: `framework/src/interface/tileop/{vector/mte.h,cube}` of hicann/pypto.
"""

from __future__ import annotations

from math import prod

from ...hardware import MemorySpace
from ...ir.graph import LogicalTensor, Operation
from ...passes.tiles import root
from ...pto.operands import Tile
from ..operands import part, tile
from ..registry import NotLowered, Stream, lowers

_RELU = "NormalRelu"


@lowers("COPY_IN", "RESHAPE_COPY_IN")
def copy_in(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TLOAD", operation.outputs, operation.inputs)


@lowers("COPY_OUT", "RESHAPE_COPY_OUT")
def copy_out(stream: Stream, operation: Operation) -> None:
    """An accumulator is converted, and goes through ReLU, on its way out."""
    source, target = operation.inputs[0], operation.outputs[0]
    inputs: list[LogicalTensor] = [source]
    atomic = "add" if operation.attribute("op_attr_atomic_add") else None
    if atomic:
        inputs.append(target)
    relu = _RELU if source.memory is MemorySpace.L0C and operation.attribute("op_attr_relu_type") == 1 else None
    stream.emit(operation, "TSTORE", (target,), inputs, atomic=atomic, relu=relu)


@lowers("L1_TO_L0A", "L1_TO_L0B", "L1_TO_L0At", "L1_TO_L0Bt")
def feed_cube(stream: Stream, operation: Operation) -> None:
    row, column = operation.attributes["offset"][-2:]
    transpose = operation.opcode.endswith("t") or None
    stream.emit(
        operation,
        "TEXTRACT",
        operation.outputs,
        operation.inputs,
        index_row=row,
        index_col=column,
        transpose=transpose,
    )


@lowers("L1_TO_BT", "L1_TO_FIX_QUANT_PRE", "L0C_TO_L1", "L0C_COPY_UB", "UB_COPY_L1", "L1_COPY_UB", "UB_COPY_ND2NZ")
def between_memories(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TMOV", operation.outputs, operation.inputs)


@lowers("REGISTER_COPY")
def register_copy(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TMOV", operation.outputs, operation.inputs)


@lowers("VIEW", "SLICE")
def view(stream: Stream, operation: Operation) -> None:
    """Nothing where the result lies in its source, else a copy of the part."""
    source, target = operation.inputs[0], operation.outputs[0]
    if root(source.raw).id == root(target.raw).id:
        return
    taken = _part(stream, operation, source, target)
    stream.emit(operation, "TMOV", (target,), (taken,))


@lowers("ASSEMBLE", "CONTRACT")
def assemble(stream: Stream, operation: Operation) -> None:
    """Nothing where the part lies in its whole, else a copy into its place."""
    source, target = operation.inputs[0], operation.outputs[0]
    if root(source.raw).id == root(target.raw).id:
        return
    place = _part(stream, operation, target, source)
    stream.emit(operation, "TMOV", (place,), (source,))


def _part(stream: Stream, operation: Operation, whole: LogicalTensor, like: LogicalTensor) -> Tile:
    offset = operation.attributes["offset"]
    if whole.memory is not MemorySpace.UB or not all(isinstance(start, int) for start in (*offset, *like.shape)):
        raise NotLowered(operation, "its place is known only at run time")
    return part(tile(whole, stream.arch), whole, offset, like.shape)  # type: ignore[arg-type]


@lowers("RESHAPE")
def reshape(stream: Stream, operation: Operation) -> None:
    """Nothing: the passes made the result lie over its source."""
    source, target = operation.inputs[0], operation.outputs[0]
    if root(source.raw).id != root(target.raw).id and prod(map(int, target.shape)):  # type: ignore[arg-type]
        raise NotLowered(operation, "its elements would have to move")


@lowers("VIEW_TYPE")
def view_type(stream: Stream, operation: Operation) -> None:
    """The same bytes under another element type."""
    stream.emit(operation, "TRESHAPE", operation.outputs, operation.inputs)
