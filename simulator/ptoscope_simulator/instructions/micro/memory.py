"""Loads and stores of registers.

A load or store names the elements of UB that it touches as a tile of rank 1; `dist` says how they map to lanes:
NORM one to one; BRC one element to all lanes; BLK 32 bytes to each block; E2B one element to each block of 32 bytes;
US each element twice; DS every second element; UNPK each element to every second lane (UNPK4 every fourth), zero
between. A store has NORM, FIRST_ELEMENT (lane 0), PACK (every second lane) and PACK4; the X2 forms (de)interleave.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import Array, Context, instruction
from .lanes import Predicate, lane_mask

_BLOCK_BYTES = 32
_STRIDES = {"PACK": 2, "PK": 2, "PACK4": 4, "PK4": 4}


def distribution(name: Any) -> str:
    """The name of a distribution without its element width: "UNPK_B16" as "UNPK"."""
    text = str(getattr(name, "name", name) or "NORM").upper()
    return text.rsplit("_B", 1)[0]


def spread(source: Array, dist: str, lanes: int, per_block: int) -> Array:
    """Elements of memory as lanes."""
    if dist == "NORM":
        filled = np.zeros(lanes, source.dtype)
        filled[: source.size] = source[:lanes]
        return filled
    if dist == "BRC":
        return np.full(lanes, source[0])
    if dist == "BLK":
        return np.tile(source[:per_block], lanes // per_block)
    if dist == "E2B":
        return np.repeat(source[: lanes // per_block], per_block)
    if dist == "US":
        return np.repeat(source[: lanes // 2], 2)
    if dist == "DS":
        return np.array(source[: 2 * lanes : 2])
    if dist in ("UNPK", "UNPK4"):
        step = 4 if dist == "UNPK4" else 2
        result = np.zeros(lanes, source.dtype)
        result[::step] = source[: lanes // step]
        return result
    raise ValueError(f"unknown load distribution {dist}")


@instruction("VLDS", "VLD", "VLDUS")
def load(context: Context, source: Array) -> Array:
    view = context.outputs[0]
    per_block = _BLOCK_BYTES // view.dtype.bytes
    return spread(source, distribution(context.attributes.get("dist")), view.valid[-1], per_block)


@instruction("VLDSX2")
def load_deinterleaved(context: Context, source: Array) -> tuple[Array, Array]:
    """Even and odd elements."""
    return np.array(source[0::2]), np.array(source[1::2])


@instruction("VSLDB")
def load_blocks(context: Context, source: Array, mask: Predicate | None = None) -> Array:
    """Blocks of 32 bytes, `block_stride` blocks apart; blocks without an active lane are zero."""
    view = context.outputs[0]
    per_block = _BLOCK_BYTES // view.dtype.bytes
    stride = int(context.attributes["block_stride"]) * per_block
    result = np.zeros(view.valid, source.dtype)
    lanes = np.ones(view.valid, np.bool_) if mask is None else mask
    for block in np.flatnonzero(lanes.reshape(-1, per_block).any(axis=-1)):
        result[block * per_block : (block + 1) * per_block] = source[block * stride : block * stride + per_block]
    return result


@instruction("VSSTB")
def store_blocks(context: Context, source: Array, *rest: Array) -> Array:
    """Blocks of 32 bytes to places `block_stride` blocks apart, under a predicate or not, over the old contents."""
    *mask, destination = rest
    per_block = _BLOCK_BYTES // context.outputs[0].dtype.bytes
    stride = int(context.attributes["block_stride"]) * per_block
    result: Array = destination.copy()
    lanes = np.flatnonzero(mask[0]) if mask else np.arange(source.size)
    result[lanes // per_block * stride + lanes % per_block] = source[lanes]
    return result


def merged(value: Array, active: Predicate, destination: Array | None) -> Array:
    """What a store writes: the lanes up to the last active one, over the old contents where lanes between are not."""
    count = int(np.count_nonzero(active))
    if active[:count].all():
        return value[:count]
    if destination is None:
        raise ValueError("a store under a predicate with gaps needs the old contents as its last input")
    reach = int(np.flatnonzero(active)[-1]) + 1
    return np.where(active[:reach], value[:reach], destination[:reach])


@instruction("VSTS", "VST", "VSTUS")
def store(context: Context, source: Array, mask: Predicate | None = None, destination: Array | None = None) -> Array:
    """Active lanes only; `destination` (the old contents) is needed where the predicate may have gaps."""
    dist = distribution(context.attributes.get("dist"))
    target = context.outputs[0].numpy
    if dist in ("FIRST_ELEMENT", "1PT"):
        return source[:1]
    mask = np.ones(source.size, np.bool_) if mask is None else lane_mask(mask, source.size)
    if dist in _STRIDES:
        step = _STRIDES[dist]
        if not context.exact and source.dtype.itemsize > target.itemsize:
            step = source.dtype.itemsize // target.itemsize
            source, mask = source.view(target), np.repeat(mask, step)
        source, mask = source[::step], mask[::step]
    return merged(source, mask, destination)


@instruction("VSTSX2")
def store_interleaved(
    context: Context, even: Array, odd: Array, mask: Predicate | None = None, destination: Array | None = None
) -> Array:
    """Lanes of two registers in turn."""
    active = np.ones(even.size, np.bool_) if mask is None else mask
    return merged(np.stack((even, odd), axis=-1).reshape(-1), np.repeat(active, 2), destination)


@instruction("VGATHER2")
def gather(context: Context, source: Array, indices: Array, mask: Predicate) -> Array:
    """source[index] per active lane; 8-bit elements are widened to 16 bits without sign."""
    lanes = context.outputs[0].valid[-1]
    mask = lane_mask(mask, lanes)
    at = np.where(mask, indices[:lanes].astype(np.int64), 0)
    return np.where(mask, context.round(0, source[at]), 0)


@instruction("VGATHERB", "VGATHER2_BC")
def gather_blocks(context: Context, source: Array, offsets: Array, mask: Predicate) -> Array:
    """Blocks of 32 bytes at byte offsets, one per block of the register."""
    view = context.outputs[0]
    per_block = _BLOCK_BYTES // view.dtype.bytes
    first = offsets[: view.valid[-1] // per_block].astype(np.int64) // view.dtype.bytes
    at = (first[:, None] + np.arange(per_block)).reshape(-1)
    mask = lane_mask(mask, view.valid[-1])
    return np.where(mask, source[np.where(mask, at, 0)], source.dtype.type(0))


@instruction("VSCATTER")
def scatter(context: Context, source: Array, indices: Array, mask: Predicate, destination: Array) -> Array:
    """destination[index] = lane for active lanes, later lanes winning; of 8-bit registers the even lanes count."""
    step = source.size // indices.size
    active = lane_mask(mask, indices.size)
    result: Array = destination.copy()
    result[indices[active].astype(np.int64)] = source[::step][active]
    return result


@instruction("MEM_BAR", "VLDAS", "VSTAS", "VSTAR", "SPRCLR")
def nothing(context: Context, *_: Any) -> tuple[()]:
    """Order of memory accesses and state of unaligned streams: no data of their own."""
    return ()
