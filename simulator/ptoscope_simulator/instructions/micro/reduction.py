"""Reductions over the lanes of a register, over its blocks of 32 bytes, and over pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numeric import is_float, wide
from ..registry import Array, Context, Function, instruction
from .lanes import Predicate, ground

_BLOCK_BYTES = 32


def _tree_sum(value: Array) -> Array:
    """Sum over the last axis in halves, as the adder tree does it; 16-bit floating point in float32."""
    total = wide(value) if is_float(value) else value
    while total.shape[-1] > 1:
        half = total.shape[-1] // 2
        total = total[..., :half] + total[..., half:]
    return total[..., 0]


@instruction("VCADD")
def add_lanes(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
    """The sum of active lanes in lane 0; zeros beside. int16 sums into int32."""
    view = context.outputs[0]
    active = np.where(mask, value, value.dtype.type(0))
    if value.dtype.kind in "iu":
        active = active.astype(view.numpy)
    total = _tree_sum(active)
    result = ground(context, context.round(0, np.atleast_1d(total)), old)
    result[0] = total
    return result


@instruction("VCGADD")
def add_blocks(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
    """One sum per block of 32 bytes, one after the other from lane 0; zeros beside."""
    per_block = _BLOCK_BYTES // context.inputs[0].dtype.bytes if context.inputs[0] else value.size
    active = np.where(mask, value, value.dtype.type(0)).reshape(-1, per_block)
    result = ground(context, value, old)
    result[: active.shape[0]] = _tree_sum(active)
    return result


@instruction("VCPADD")
def add_pairs(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
    """Sums of neighbouring active lanes in the lower half of the register."""
    active = np.where(mask, value, value.dtype.type(0))
    result = ground(context, value, old)
    result[: value.size // 2] = active[0::2] + active[1::2]
    return result


def _limit(value: Array, largest: bool) -> Any:
    if is_float(value):
        return value.dtype.type(-np.inf if largest else np.inf)
    limits = np.iinfo(value.dtype)
    return value.dtype.type(limits.min if largest else limits.max)


def _extreme(largest: bool) -> Function:
    def semantics(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
        """The extreme active lane in lane 0, and in lane 1 the bits of the index of its first place; zeros beside."""
        active = np.where(mask, value, _limit(value, largest))
        place = int(np.argmax(active) if largest else np.argmin(active))
        result = ground(context, value, old)
        result[0] = active[place]
        view = context.outputs[0]
        index = np.array([place], np.dtype(f"u{view.numpy.itemsize}"))
        result[1] = index.view(view.numpy)[0]
        return result

    return semantics


def _block_extreme(largest: bool) -> Function:
    def semantics(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
        """The extreme active lane of each block of 32 bytes, from lane 0 on; zeros beside."""
        view = context.outputs[0]
        blocks = np.where(mask, value, _limit(value, largest)).reshape(-1, _BLOCK_BYTES // view.dtype.bytes)
        result = ground(context, value, old)
        result[: blocks.shape[0]] = blocks.max(axis=-1) if largest else blocks.min(axis=-1)
        return result

    return semantics


instruction("VCMAX")(_extreme(True))
instruction("VCMIN")(_extreme(False))
instruction("VCGMAX")(_block_extreme(True))
instruction("VCGMIN")(_block_extreme(False))


def _histogram(cumulative: bool) -> Function:
    def semantics(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
        """Counts of unsigned bytes in 128 bins of 16 bits: 0 to 127, or 128 to 255 with attribute `bin` "BIN1"."""
        first = 128 if str(context.attributes.get("bin", "BIN0")).upper() == "BIN1" else 0
        counts = np.bincount(value[mask].astype(np.int64), minlength=256)
        if cumulative:
            counts = np.cumsum(counts)
        result = counts[first : first + 128].astype(np.uint16)
        return result if old is None else result + old

    return semantics


instruction("DHISTV2")(_histogram(False))
instruction("CHISTV2")(_histogram(True))
