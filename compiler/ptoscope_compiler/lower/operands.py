"""Tensors of a leaf function as operands of PTO instructions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..hardware import Layout, MemorySpace
from ..ir.graph import LogicalTensor
from ..passes.tiles import dense_strides, linear_offset, on_chip, strides
from ..pto.operands import Tile, TileType, Window
from ..scalar import ScalarLike, Symbol

_ACCUMULATOR_FRACTAL = 1024
_BOX_ROWS = 16
_LEFT_ROW_MAJOR = frozenset({"2201", "3003"})


def operand(tensor: LogicalTensor, arch: str) -> Tile | Window:
    """The tile or window that `tensor` is."""
    return tile(tensor, arch) if on_chip(tensor) else window(tensor)


def tile(tensor: LogicalTensor, arch: str) -> Tile:
    """A tile on chip. A part of a larger storage keeps the pitch of that storage."""
    assert tensor.memory is not None
    raw = tensor.raw
    layout = _layout(tensor, arch)
    fractal = _ACCUMULATOR_FRACTAL if tensor.memory is MemorySpace.L0C else 512
    pitch = strides(raw)
    whole = pitch == dense_strides(raw.shape) and not any(tensor.offset)
    shape = raw.shape if whole or layout is not Layout.ND else tensor.shape
    kind = TileType(tensor.dtype, _integers(shape), tensor.memory, layout, fractal)
    steps = None if whole or layout is not Layout.ND else _integers(pitch)
    return Tile(kind, _address(tensor), tensor.valid_shape, raw.name, steps)


def _address(tensor: LogicalTensor) -> ScalarLike:
    return 0 if tensor.address is None else tensor.address


def _integers(values: tuple[ScalarLike, ...]) -> tuple[int, ...]:
    return tuple(int(value) for value in values)  # type: ignore[arg-type]


def _layout(tensor: LogicalTensor, arch: str) -> Layout:
    """The order in which the cube's memories hold tiles (PTO-ISA `pto_tile.hpp`); rows of bias or scale are plain."""
    if tensor.memory in (MemorySpace.UB, MemorySpace.BT, MemorySpace.FB) or tensor.rank < 2:
        return Layout.ND
    if tensor.memory is MemorySpace.L1 and _integers(tensor.raw.shape)[-2] % _BOX_ROWS:
        return Layout.ND
    if tensor.memory is MemorySpace.L0A:
        return Layout.ZZ if arch in _LEFT_ROW_MAJOR else Layout.NZ
    return Layout.ZN if tensor.memory is MemorySpace.L0B else Layout.NZ


def window(tensor: LogicalTensor, order: tuple[int, ...] | None = None) -> Window:
    """A window of the call's operand, its axes in `order`; as large as what is valid of it.

    Its place is the formal scalar `offset_name(buffer)`.
    """
    raw = tensor.raw
    axes = tuple(range(tensor.rank)) if order is None else order
    steps = strides(raw)
    return Window(
        raw.name,
        tensor.dtype,
        tuple(tensor.valid_shape[axis] for axis in axes),
        tuple(steps[axis] for axis in axes),
        Symbol(offset_name(raw.name)),
        Layout.ND,
    )


def offset_name(buffer: str) -> str:
    """The formal scalar that holds where a window begins, in elements of its buffer."""
    return f"{buffer}_offset"


def part(whole: Tile, tensor: LogicalTensor, offset: tuple[int, ...], shape: tuple[int, ...]) -> Tile:
    """The part of a plain tile at `offset`, as large as `shape`."""
    steps = whole.strides or _integers(dense_strides(whole.type.shape))
    start = sum(a * b for a, b in zip(offset, steps, strict=True)) * tensor.dtype.bits // 8
    assert isinstance(whole.address, int)
    return replace(
        whole, type=replace(whole.type, shape=shape), address=whole.address + start, valid=shape, strides=steps
    )


def scalar(value: Any) -> ScalarLike:
    """An attribute that is a number, a run-time scalar, or an element with its type."""
    return getattr(value, "value", value)  # type: ignore[no-any-return]


def absolute_offset(tensor: LogicalTensor) -> ScalarLike:
    """Where a window of a call begins, in elements of its buffer."""
    return linear_offset(tensor.raw, tensor.offset)
