"""Runs one instruction on arrays, without a machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from ptoscope_compiler import dtype as dtypes
from ptoscope_compiler.dtype import DType
from ptoscope_compiler.hardware import Layout, MemorySpace
from ptoscope_compiler.pto.operands import Mask, Register, Tile, TileType, Window
from ptoscope_simulator.instructions.registry import Context, OperandView, semantics
from ptoscope_simulator.instructions.vectors import Rules

_BY_NUMPY = {
    "float32": dtypes.FP32,
    "float64": dtypes.FP32,
    "float16": dtypes.FP16,
    "bfloat16": dtypes.BF16,
    "int8": dtypes.INT8,
    "int16": dtypes.INT16,
    "int32": dtypes.INT32,
    "int64": dtypes.INT64,
    "uint8": dtypes.UINT8,
    "uint16": dtypes.UINT16,
    "uint32": dtypes.UINT32,
    "uint64": dtypes.UINT64,
    "bool": dtypes.BOOL,
}


def dtype_of(array: Any) -> DType:
    return _BY_NUMPY[array.dtype.name]


def tile(
    dtype: DType,
    shape: tuple[int, ...],
    valid: tuple[int, ...] | None = None,
    space: MemorySpace = MemorySpace.UB,
    **fields: Any,
) -> OperandView:
    return OperandView(Tile(TileType(dtype, shape, space, **fields), 0, valid or shape))


def window(dtype: DType, shape: tuple[int, ...], layout: Layout = Layout.ND) -> OperandView:
    return OperandView(Window("x", dtype, shape, (), 0, layout))


def register(dtype: DType) -> OperandView:
    return OperandView(Register("v", dtype))


def mask(bits: int) -> OperandView:
    return OperandView(Mask("p", bits))


def run(
    opcode: str,
    output: OperandView | tuple[OperandView, ...],
    *inputs: Any,
    views: tuple[OperandView | None, ...] | None = None,
    arch: str = "2201",
    exact: bool = False,
    **attributes: Any,
) -> Any:
    """The result of `opcode`. Input tiles are dense unless `views` say otherwise."""
    outputs = output if isinstance(output, tuple) else (output,)
    if views is None:
        views = tuple(tile(dtype_of(value), value.shape) if isinstance(value, np.ndarray) else None for value in inputs)
    context = Context(outputs, views, attributes, Rules(arch), exact)
    with np.errstate(all="ignore"):
        return semantics(opcode).function(context, *inputs)


def like(array: Any) -> OperandView:
    """A dense tile of the shape and type of `array`."""
    return tile(dtype_of(array), array.shape)
