"""Broadcasts, sequences and permutations of lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numeric import number
from ..registry import Array, Context, instruction
from .lanes import Predicate, masked


def _is_upper(context: Context) -> bool:
    return str(context.attributes.get("part", "LOWER")).upper() in ("UPPER", "HIGHER", "ODD", "1")


@instruction("VBR", "VDUP")
def broadcast(context: Context, source: Any, mask: Predicate | None = None, old: Array | None = None) -> Array:
    """A scalar, or lane 0 of a register (the last lane with attribute `position` "HIGHEST"), in every active lane."""
    view = context.outputs[0]
    if isinstance(source, np.ndarray):
        highest = str(context.attributes.get("position", "LOWEST")).upper() == "HIGHEST"
        value = np.full(view.valid, source[-1 if highest else 0])
    else:
        dtype = np.dtype(np.float64) if context.exact and view.dtype.is_float else view.numpy
        value = np.full(view.valid, number(source, np.empty(0, dtype)))
    return value if mask is None else masked(context, value, mask, old)


@instruction("VCI")
def sequence(context: Context, start: Any) -> Array:
    """start plus the lane's index, or less it with attribute `order` "DECREASE_ORDER"."""
    view = context.outputs[0]
    steps = np.arange(view.valid[-1])
    if str(context.attributes.get("order", "INC")).upper().startswith("DEC"):
        steps = -steps
    return context.round(0, start + (steps.astype(np.float64) if view.dtype.is_float else steps))


@instruction("VINTLV")
def interleave(context: Context, left: Array, right: Array) -> tuple[Array, Array]:
    """Lower and upper halves of the two registers woven together."""
    woven = np.stack((left, right), axis=-1).reshape(-1)
    return woven[: left.size], woven[left.size :]


@instruction("VDINTLV")
def deinterleave(context: Context, left: Array, right: Array) -> tuple[Array, Array]:
    """Even and odd lanes of the two registers, one after the other."""
    joined = np.concatenate((left, right))
    return joined[0::2], joined[1::2]


@instruction("VPACK")
def pack(context: Context, source: Array) -> Array:
    """The low half of each lane's bits, in the lower or upper half of the register (attribute `part`); zeros beside."""
    view = context.outputs[0]
    result = np.zeros(view.valid, view.numpy)
    result[source.size if _is_upper(context) else 0 :][: source.size] = source.astype(view.numpy)
    return result


@instruction("VUNPACK", "VSUNPACK", "VZUNPACK")
def unpack(context: Context, source: Array) -> Array:
    """One half of the lanes (attribute `part`) widened, with the sign of their type."""
    lanes = context.outputs[0].valid[-1]
    start = lanes if _is_upper(context) else 0
    return source[start : start + lanes].astype(context.outputs[0].numpy)


@instruction("VSQZ")
def squeeze(context: Context, source: Array, mask: Predicate) -> Array:
    """Active lanes moved to the front; zeros behind."""
    result = np.zeros_like(source)
    kept = source[mask]
    result[: kept.size] = kept
    return result


@instruction("VUSQZ")
def unsqueeze(context: Context, mask: Predicate) -> Array:
    """For each lane the number of active lanes before it."""
    counts: Array = np.cumsum(mask) - mask
    return counts.astype(context.outputs[0].numpy)


@instruction("VSELR", "VPERM")
def permute(context: Context, source: Array, indices: Array, mask: Predicate | None = None) -> Array:
    """source[index] per lane, the index modulo the number of lanes."""
    result: Array = source[indices.astype(np.int64) % source.size]
    return result if mask is None else masked(context, result, mask)


@instruction("VSLIDE")
def slide(context: Context, low: Array, high: Array, amount: int) -> Array:
    """A register's worth of `low` followed by `high`, from lane `amount` on."""
    return np.concatenate((low, high))[amount : amount + low.size]


@instruction("VSHIFT")
def shift(context: Context, source: Array, amount: int) -> Array:
    """Lanes moved down by `amount`; zeros enter at the top."""
    result = np.zeros_like(source)
    result[: source.size - amount] = source[amount:]
    return result
