"""Comparisons, which produce packed bits, and selections, which consume them.

A predicate tile holds one bit per element, the lowest bit of a word first; a row starts on a word of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .numeric import number
from .registry import Array, Context, instruction

COMPARE: dict[str, Callable[[Array, Any], Array]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


def comparison(name: Any) -> Callable[[Array, Any], Array]:
    """The function of a CmpMode given as "EQ", "eq" or an enumeration member."""
    return COMPARE[str(getattr(name, "name", name)).upper()]


def pack(bits: Array, dtype: np.dtype[Any]) -> Array:
    """Boolean rows as rows of words of `dtype`, the last word filled up with zeros."""
    packed = np.packbits(bits, axis=-1, bitorder="little")
    short = -packed.shape[-1] % dtype.itemsize
    if short:
        packed = np.pad(packed, [(0, 0)] * (packed.ndim - 1) + [(0, short)])
    words: Array = np.ascontiguousarray(packed).view(dtype)
    return words


def unpack(words: Array, columns: int) -> Array:
    """The first `columns` bits of each row of words, as booleans."""
    stream = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(stream, axis=-1, count=columns, bitorder="little").view(np.bool_)


@instruction("TCMP")
def compare(context: Context, left: Array, right: Array) -> Array:
    """Attribute `compare`. On A2/A3 int32 compares for equality whatever the mode."""
    mode = context.attributes["compare"]
    if context.target.arch == "2201" and left.dtype == np.int32:
        mode = "EQ"
    return _predicate(context, comparison(mode)(left, right))


@instruction("TCMPS")
def compare_scalar(context: Context, left: Array, right: Any) -> Array:
    """As TCMP, against a scalar or a tile."""
    mode = context.attributes["compare"]
    if context.target.arch == "2201" and left.dtype == np.int32:
        mode = "EQ"
    return _predicate(context, comparison(mode)(left, right if isinstance(right, np.ndarray) else number(right, left)))


def _predicate(context: Context, bits: Array) -> Array:
    """Packed bits, or plain booleans where the output is a boolean tile. The CPU simulator clears the whole tile."""
    view = context.outputs[0]
    if view.numpy == np.bool_:
        return bits
    words = pack(bits, view.numpy)
    if context.target.arch == "cpu":
        result = np.zeros(view.physical, view.numpy)
        result[tuple(map(slice, words.shape))] = words
        return result
    return words


@instruction("TSEL")
def select(context: Context, mask: Array, left: Array, right: Array) -> Array:
    chosen = mask if mask.dtype == np.bool_ else unpack(mask, left.shape[-1])
    return context.round(0, np.where(chosen, left, right))


@instruction("TSELS")
def select_scalar(context: Context, mask: Array, value: Any, other: Any) -> Array:
    """Either of the two choices may be the scalar."""
    tile = value if isinstance(value, np.ndarray) else other
    chosen = mask if mask.dtype == np.bool_ else unpack(mask, tile.shape[-1])
    left = value if tile is value else number(value, tile)
    right = number(other, tile) if tile is value else other
    return context.round(0, np.where(chosen, left, right))
