"""Data movement: between global memory and tiles, and between tiles.

Paths and pipes: `get_move_pipe` in `python/pypto_pro/language/parser/_op_pipeline.py` of hicann/pypto; shapes and
transposing pairs: `python/pypto_pro/ir/op/block_ops.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ... import scalar
from ...evaluate.values import Unsupported, Value
from ...hardware import Layout, MemorySpace, Pipe
from ...pto import operands as pto
from ...scalar import ScalarLike
from ..call import Call, family
from ..scalars import lower
from ..tensors import Tensor
from ..tiles import Tile
from .checks import check_move, check_transfer

_FROM_L1 = frozenset({MemorySpace.L0A, MemorySpace.L0B, MemorySpace.BT, MemorySpace.L0A_MX, MemorySpace.L0B_MX})
_TRANSPOSED = {
    Layout.NZ: Layout.ZN,
    Layout.ZN: Layout.NZ,
    Layout.NN: Layout.ZZ,
    Layout.ZZ: Layout.NN,
    Layout.ND: Layout.DN,
    Layout.DN: Layout.ND,
}


def move_pipe(source: MemorySpace, target: MemorySpace) -> Pipe:
    """The pipe that moves a tile from `source` to `target`."""
    if source is MemorySpace.L0C and target is MemorySpace.UB:
        return Pipe.FIX
    if source is MemorySpace.L1:
        if target in _FROM_L1:
            return Pipe.MTE1
        return Pipe.V if target is MemorySpace.UB else Pipe.FIX
    return Pipe.MTE3 if source is MemorySpace.UB and target is MemorySpace.L1 else Pipe.V


def store_pipe(tile: Tile) -> Pipe:
    return Pipe.FIX if tile.type.space is MemorySpace.L0C else Pipe.MTE3


@family("load", "load_tile")
def load(call: Call) -> Value:
    """TLOAD of the window that the tile's valid region covers."""
    tile, tensor = call.tile("dst_tile"), call.tensor("src_tensor")
    check_transfer(call, tile, tensor)
    window = window_of(call, tile, tensor)
    with call.held(Pipe.MTE2):
        call.emit("TLOAD", Pipe.MTE2, (tile.operand(),), (window,))
    return None


@family("store", "store_tile")
def store(call: Call) -> Value:
    """TSTORE of the valid region, with what the fix pipe does to an accumulator on the way."""
    tile, tensor = call.tile("src_tile"), call.tensor("dst_tensor")
    check_transfer(call, tile, tensor)
    pipe = store_pipe(tile)
    window = window_of(call, tile, tensor)
    atomic = "add" if call.member("atomic") == "AtomicAdd" else None
    inputs: list[Any] = [tile.operand()]
    opcode, attributes = _quantisation(call, "TSTORE", inputs)
    if atomic:
        inputs.append(window)
    with call.held(pipe, unguarded(call)):
        call.emit(opcode, pipe, (window,), inputs, atomic=atomic, phase=call.member("phase"), **attributes)
    return None


def unguarded(call: Call) -> frozenset[MemorySpace]:
    """Spaces whose tiles need no token: the unit flag of a phase guards the accumulator."""
    return frozenset({MemorySpace.L0C}) if call.member("phase") in ("Partial", "Final") else frozenset()


def _quantisation(call: Call, opcode: str, inputs: list[Any]) -> tuple[str, dict[str, Any]]:
    """The opcode and attributes for `scale` and `relu_pre_mode`; a scale per column becomes an input."""
    scale = call.values["scale"]
    attributes: dict[str, Any] = {"relu": True if call.member("relu_pre_mode") == "NormalRelu" else None}
    if isinstance(scale, Tile):
        inputs.append(scale.operand())
        return f"{opcode}_FP", attributes
    if scale is not None:
        attributes["pre_quant"] = lower(scale)
    return opcode, attributes


def _offsets(call: Call, tensor: Tensor) -> tuple[ScalarLike, ...]:
    name = "tile_offsets" if call.entry.name.endswith("_tile") else "offsets"
    offsets = call.scalars(name)
    if len(offsets) != len(tensor.shape):
        raise Unsupported(f"pl.{call.entry.name}(): {len(offsets)} offsets for a tensor of {len(tensor.shape)} axes")
    return offsets


def _axes(call: Call, rank: int) -> tuple[int, int]:
    """The tensor's axes that are the rows and columns of the tile."""
    order = call.values["order"]
    if order is None:
        return rank - 2, rank - 1
    if len(order) != 2 or not all(isinstance(axis, int) and -rank <= axis < rank for axis in order):
        raise Unsupported(f"pl.{call.entry.name}(): 'order' must be two axes of the tensor")
    return order[0] % rank, order[1] % rank


def window_of(call: Call, tile: Tile, tensor: Tensor) -> pto.Window:
    """The window of `tensor` at the call's offsets, as large as the tile's valid region."""
    offsets = list(_offsets(call, tensor))
    rank = len(tensor.shape)
    rows, columns = tile.valid
    if rank == 1:
        if call.entry.name.endswith("_tile"):
            offsets[0] = scalar.mul(offsets[0], tile.type.shape[-1])
        return pto.Window(
            tensor.buffer, tensor.dtype, (rows, columns), (tensor.shape[0], 1), tensor.at(offsets), Layout.ND
        )
    first, second = _axes(call, rank)
    if call.entry.name.endswith("_tile"):
        for axis, extent in zip((first, second), tile.type.shape, strict=True):
            offsets[axis] = scalar.mul(offsets[axis], extent)
    if tensor.layout is Layout.NZ:
        return _boxed_window(tensor, offsets, rows, columns)
    strides = (tensor.strides[first], tensor.strides[second])
    layout = Layout.DN if first > second else Layout.ND
    return pto.Window(tensor.buffer, tensor.dtype, (rows, columns), strides, tensor.at(offsets), layout)


def _boxed_window(tensor: Tensor, offsets: Sequence[ScalarLike], rows: ScalarLike, columns: ScalarLike) -> pto.Window:
    """A window of a tensor in NZ: boxes of 16 rows and 32 bytes, column by column of boxes."""
    width = max(1, 32 * 8 // tensor.dtype.bits)
    height = 16
    box = height * width
    row_boxes = scalar.floordiv(scalar.add(rows, height - 1), height)
    column_boxes = scalar.floordiv(scalar.add(columns, width - 1), width)
    pitch = scalar.mul(scalar.floordiv(scalar.add(tensor.shape[-2], height - 1), height), box)
    offset = scalar.add(
        scalar.mul(scalar.floordiv(offsets[-1], width), pitch),
        scalar.add(scalar.mul(offsets[-2], width), tensor.offset),
    )
    shape = (1, column_boxes, row_boxes, height, width)
    strides = (scalar.mul(column_boxes, pitch), pitch, box, width, 1)
    return pto.Window(tensor.buffer, tensor.dtype, shape, strides, offset, Layout.NZ)


@family("move")
def move(call: Call) -> Value:
    """TMOV, TEXTRACT of the part at an offset, or TINSERT where the destination is the larger tile."""
    target, source = call.tile("dst_tile"), call.tile("src_tile")
    check_move(call, target, source)
    if source.type.space is MemorySpace.L0C and target.type.space is MemorySpace.UB:
        return _accumulator_to_vector(call, target, source)
    pipe = move_pipe(source.type.space, target.type.space)
    inputs: list[Any] = [source.operand()]
    opcode, attributes = _quantisation(call, "TMOV", inputs)
    corner = call.values["offset"]
    output = target.operand()
    if _inserts(call, target, source):
        output = _as_source_order(output, source)
        opcode = opcode.replace("TMOV", "TINSERT")
        corner = (0, 0) if corner is None else corner
    elif corner is not None:
        opcode = opcode.replace("TMOV", "TEXTRACT")
    elif target.type.shape != source.type.shape and target.type.shape == source.type.shape[::-1]:
        attributes["transpose"] = True
    if corner is not None:
        attributes["index_row"], attributes["index_col"] = map(lower, corner)
    with call.held(pipe):
        call.emit(opcode, pipe, (output,), inputs, **attributes)
    return None


def _accumulator_to_vector(call: Call, target: Tile, source: Tile) -> Value:
    """TEXTRACT to the UB of one vector core, or of each its half of the rows or columns.

    The cube core addresses the UBs of its vector cores one behind the other. A half that is not whole is rounded up:
    rows to 1, columns to 16 (`MakeBlockOutMoveCodegenCCE` in `backend_cce_block_out_ops.cpp` of hicann/pypto).
    """
    mode = call.member("acc_to_vec_mode") or "SingleModeVec0"
    first = (0, 0) if call.values["offset"] is None else tuple(map(lower, call.values["offset"]))
    inputs: list[Any] = [source.operand()]
    opcode, attributes = _quantisation(call, "TEXTRACT", inputs)
    rows, columns = target.valid
    parts = [(1 if mode == "SingleModeVec1" else 0, first)]
    if mode == "DualModeSplitM":
        half = scalar.floordiv(scalar.add(source.valid[0], 1), 2)
        rows = scalar.minimum(half, target.type.shape[0])
        parts = [(0, first), (1, (scalar.add(first[0], half), first[1]))]
        inputs[0] = replace(inputs[0], valid=(scalar.mul(half, 2), source.valid[1]))
    elif mode == "DualModeSplitN":
        half = scalar.mul(scalar.floordiv(scalar.add(source.valid[1], 31), 32), 16)
        columns = scalar.minimum(half, target.type.shape[1])
        parts = [(0, first), (1, (first[0], scalar.add(first[1], half)))]
        inputs[0] = replace(inputs[0], valid=(source.valid[0], scalar.mul(half, 2)))
    capacity = call.tracer.target.capacity(MemorySpace.UB)
    with call.held(Pipe.FIX):
        for core, (row, column) in parts:
            place = scalar.add(target.address, core * capacity)
            output = replace(target.operand(), address=place, valid=(rows, columns))
            call.emit(opcode, Pipe.FIX, (output,), inputs, index_row=row, index_col=column, **attributes)
    return None


def _inserts(call: Call, target: Tile, source: Tile) -> bool:
    """Whether a move is an insertion: into a larger tile, or from UB to L1 between transposed layouts."""
    if target.type.space is not MemorySpace.L1 or source.type.space is not MemorySpace.UB:
        return False
    transposed = _TRANSPOSED[target.type.layout] is source.type.layout
    if call.values["offset"] is not None:
        shape = target.type.shape[::-1] if transposed else target.type.shape
        return all(outer >= inner for outer, inner in zip(shape, source.type.shape, strict=True))
    return transposed and target.type.shape == source.type.shape


def _as_source_order(output: pto.Tile, source: Tile) -> pto.Tile:
    """The destination as its bytes look in the source's layout: a transposed pair swaps rows and columns."""
    if _TRANSPOSED[output.type.layout] is not source.type.layout:
        return output
    turned = replace(output.type, shape=output.type.shape[::-1], layout=source.type.layout)
    return replace(output, type=turned, valid=output.valid[::-1])


@family("insert")
def insert(call: Call) -> Value:
    """TINSERT; into a tile of transposed layout, `offset` counts in the order of the source."""
    target, source = call.tile("dst_tile"), call.tile("src_tile")
    check_move(call, target, source)
    row, column = call.scalars("offset")
    output = _as_source_order(target.operand(), source)
    with call.held(Pipe.MTE3):
        call.emit("TINSERT", Pipe.MTE3, (output,), (source.operand(),), index_row=row, index_col=column)
    return None


@family("fillpad")
def fillpad(call: Call) -> Value:
    """TFILLPAD in the form that `mode` asks for."""
    target, source = call.tile("out"), call.tile("src")
    suffix = {"NORMAL": "", "EXPAND": "_EXPAND", "INPLACE": "_INPLACE"}[call.member("mode") or "NORMAL"]
    with call.held(Pipe.V):
        call.emit(f"TFILLPAD{suffix}", Pipe.V, (target.operand(),), (source.operand(),))
    return None
