"""Moves between tiles. Layouts are undone and redone around these functions, so most are the identity.

Attributes: `transpose` swaps rows and columns (an L1 tile on its way to L0A or L0B; the window taken by TEXTRACT then
has the output's extents swapped); `pre_quant` and `relu` apply to accumulators, see `fixpipe`.
"""

from __future__ import annotations

import numpy as np
from ptoscope_compiler.hardware import MemorySpace
from ptoscope_compiler.pto.operands import Tile

from .fixpipe import leave_accumulator
from .registry import Array, Context, instruction


def _from_accumulator(context: Context) -> bool:
    source = context.inputs[0]
    return source is not None and isinstance(source.operand, Tile) and source.operand.type.space is MemorySpace.L0C


def _takes_as_is(context: Context) -> bool:
    return context.keeps_type and not context.attributes.get("transpose") and not _from_accumulator(context)


def _moves_as_is(context: Context) -> bool:
    return context.keeps_extent and _takes_as_is(context)


@instruction("TMOV", copies=_moves_as_is)
@instruction("TEXTRACT", "TSUBVIEW", window_in=0, copies=_takes_as_is)
@instruction("TINSERT", window_out=0)
def move(context: Context, source: Array) -> Array:
    if context.attributes.get("transpose"):
        source = source.swapaxes(-1, -2)
    if _from_accumulator(context):
        return leave_accumulator(context, source)
    return context.round(0, source)


@instruction("TMOV_FP")
@instruction("TEXTRACT_FP", window_in=0)
@instruction("TINSERT_FP", window_out=0)
def move_quantised(context: Context, source: Array, columns: Array) -> Array:
    """`columns`: one 64-bit parameter per column, from the fix-pipe buffer."""
    return leave_accumulator(context, source, columns[..., : source.shape[-1]])


@instruction("TTRANS")
def transpose(context: Context, source: Array) -> Array:
    """The last two axes swapped, or the axes in the order of attribute `permutation`."""
    order = context.attributes.get("permutation")
    return context.round(0, source.swapaxes(-1, -2) if order is None else source.transpose(order))


@instruction("TRESHAPE", whole=(0,))
def reshape(context: Context, source: Array) -> Array:
    """The same bytes under another shape and element type; a plain tile in, a plain tile out."""
    view = context.outputs[0]
    if context.exact and view.dtype.is_float:
        return source.reshape(view.physical)
    return np.ascontiguousarray(source).reshape(-1).view(view.numpy).reshape(view.physical)


@instruction("TCONCAT")
def concatenate(context: Context, *sources: Array) -> Array:
    """The sources side by side along the last axis, or along attribute `axis`."""
    axis = context.attributes.get("axis", -1)
    return context.round(0, np.concatenate(sources, axis=axis))


@instruction("TINTERLEAVE")
def interleave(context: Context, odd: Array, even: Array) -> tuple[Array, Array]:
    """Outputs (upper, lower) halves of the two sources woven together, `even` first."""
    woven = np.stack((even, odd), axis=-1).reshape(*even.shape[:-1], -1)
    half = even.shape[-1]
    return woven[..., half:], woven[..., :half]


@instruction("TDEINTERLEAVE")
def deinterleave(context: Context, upper: Array, lower: Array | None = None) -> tuple[Array, Array]:
    """Outputs (odd, even) elements of `lower` followed by `upper`, or of the one source."""
    joined = upper if lower is None else np.concatenate((lower, upper), axis=-1)
    return joined[..., 1::2], joined[..., 0::2]
