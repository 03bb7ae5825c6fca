"""Predicates: made from a pattern or a count, combined, rearranged, kept in memory.

A predicate register has one bit per byte of a vector register; a lane is governed by the lowest bit of its bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import Array, Context, instruction
from .lanes import Predicate, masked, part

_BITS = 256


def patterned(name: Any, lanes: int) -> Predicate:
    """Lanes of a MaskPattern: ALL, ALLF (none), VLn (the first n), H and Q (the first half or quarter), M3 and M4
    (multiples of 3 or 4)."""
    text = str(getattr(name, "name", name)).upper().removeprefix("PAT_")
    index = np.arange(lanes)
    if text == "ALL":
        return index >= 0
    if text == "ALLF":
        return index < 0
    if text in ("H", "Q"):
        return index < lanes // (2 if text == "H" else 4)
    if text in ("M3", "M4"):
        result: Predicate = index % int(text[1]) == 0
        return result
    return index < int(text.removeprefix("VL"))


@instruction("PSET_B8", "PSET_B16", "PSET_B32", "PGE_B8", "PGE_B16", "PGE_B32")
def from_pattern(context: Context) -> Predicate:
    """Attribute `pattern`."""
    return patterned(context.attributes["pattern"], context.outputs[0].valid[-1])


@instruction("PLT_B8", "PLT_B16", "PLT_B32")
def from_count(context: Context, count: int) -> Predicate:
    """The first `count` lanes; a negative count is a large unsigned one, all lanes."""
    lanes = context.outputs[0].valid[-1]
    return np.arange(lanes) < (lanes if count < 0 else count)


@instruction("PAND")
def conjunction(
    context: Context, left: Predicate, right: Predicate, mask: Predicate, old: Predicate | None = None
) -> Predicate:
    return masked(context, left & right, mask, old)


@instruction("POR")
def disjunction(
    context: Context, left: Predicate, right: Predicate, mask: Predicate, old: Predicate | None = None
) -> Predicate:
    return masked(context, left | right, mask, old)


@instruction("PXOR")
def exclusive(
    context: Context, left: Predicate, right: Predicate, mask: Predicate, old: Predicate | None = None
) -> Predicate:
    return masked(context, left ^ right, mask, old)


@instruction("PNOT")
def negation(context: Context, value: Predicate, mask: Predicate, old: Predicate | None = None) -> Predicate:
    return masked(context, ~value, mask, old)


@instruction("PMOV")
def copy(context: Context, value: Predicate, mask: Predicate | None = None, old: Predicate | None = None) -> Predicate:
    return value.copy() if mask is None else masked(context, value, mask, old)


@instruction("PSEL")
def choice(
    context: Context, left: Predicate, right: Predicate, mask: Predicate, old: Predicate | None = None
) -> Predicate:
    return np.where(mask, left, right)


@instruction("PINTLV_B8", "PINTLV_B16", "PINTLV_B32")
def interleave(context: Context, left: Predicate, right: Predicate) -> tuple[Predicate, Predicate]:
    woven = np.stack((left, right), axis=-1).reshape(-1)
    return woven[: left.size], woven[left.size :]


@instruction("PDINTLV_B8", "PDINTLV_B16", "PDINTLV_B32")
def deinterleave(context: Context, left: Predicate, right: Predicate) -> tuple[Predicate, Predicate]:
    joined = np.concatenate((left, right))
    return joined[0::2], joined[1::2]


def bits(value: Predicate) -> Predicate:
    """The register image: one bit per byte of a vector register."""
    image = np.zeros(_BITS, np.bool_)
    image[:: _BITS // value.size] = value
    return image


@instruction("PPACK")
def pack(context: Context, value: Predicate) -> Predicate:
    """Every second bit of the image, in the lower or upper half (attribute `part`)."""
    image = np.zeros(_BITS, np.bool_)
    upper = str(context.attributes.get("part", "LOWER")).upper() in ("UPPER", "HIGHER", "1")
    half = bits(value)[0::2]
    image[_BITS // 2 if upper else 0 :][: half.size] = half
    return image[:: _BITS // context.outputs[0].valid[-1]]


@instruction("PUNPACK")
def unpack(context: Context, value: Predicate) -> Predicate:
    """One half of the image (attribute `part`) spread over every second bit."""
    upper = str(context.attributes.get("part", "LOWER")).upper() in ("UPPER", "HIGHER", "1")
    image = np.zeros(_BITS, np.bool_)
    image[0::2] = bits(value)[_BITS // 2 if upper else 0 :][: _BITS // 2]
    return image[:: _BITS // context.outputs[0].valid[-1]]


@instruction("PLD", "PLDI", "PLDS")
def load(context: Context, stored: Array) -> Predicate:
    """From 32 bytes of the register image, lowest bit first; attribute `dist` "US" doubles and "DS" halves the bits."""
    image = np.unpackbits(np.ascontiguousarray(stored).view(np.uint8), bitorder="little").view(np.bool_)
    dist = str(context.attributes.get("dist", "NORM")).upper()
    if dist == "US":
        image = np.repeat(image, 2)
    elif dist == "DS":
        image = image[0::2]
    return image[:_BITS][:: _BITS // context.outputs[0].valid[-1]]


@instruction("PST", "PSTI", "PSTS")
def store(context: Context, value: Predicate) -> Array:
    """The register image as 32 bytes, or 16 with attribute `dist` "PK"."""
    image = bits(value)
    if str(context.attributes.get("dist", "NORM")).upper() in ("PK", "PACK"):
        image = image[0::2]
    packed: Array = np.packbits(image, bitorder="little")
    return packed.view(context.outputs[0].numpy)


@instruction("MOVVP")
def from_register(context: Context, source: Array) -> Predicate:
    """A bit of the source per lane, lowest first, from block `block` (attribute) of as many bits as there are lanes."""
    lanes = context.outputs[0].valid[-1]
    image = np.unpackbits(np.ascontiguousarray(source).view(np.uint8), bitorder="little").view(np.bool_)
    start = part(context.attributes.get("block")) * lanes
    return image[start : start + lanes]
