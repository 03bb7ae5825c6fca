"""Indexed movement within a tile and between a tile and a table in global memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import comparison
from .numeric import number
from .registry import Array, Context, instruction

_PATTERNS = {
    "P0101": (2, 0),
    "P1010": (2, 1),
    "P0001": (4, 0),
    "P0010": (4, 1),
    "P0100": (4, 2),
    "P1000": (4, 3),
    "P1111": (1, 0),
}
_PATTERN_NAMES = (None, *_PATTERNS)


def pattern(name: Any) -> slice:
    """The positions that a MaskPattern ("P0101" or its number 1..7) selects; the lowest digit is position 0."""
    period, first = _PATTERNS[str(_PATTERN_NAMES[name] if isinstance(name, int) else name)]
    return slice(first, None, period)


@instruction("TGATHER", whole=(0,))
def gather(context: Context, source: Array, indices: Array | None = None, *_: Any) -> Any:
    """Three forms: by mask `pattern`, by comparison with attribute `compare`, or by index into the flat physical tile.

    The index form gives zero where an index is out of range.
    """
    selected = context.attributes.get("pattern")
    if selected is not None:
        return _gather_pattern(context, source, selected)
    assert indices is not None
    if context.attributes.get("compare") is not None:
        return _gather_compare(context, source, indices)
    flat = source.reshape(-1)
    at = indices.astype(np.int64) + int(context.attributes.get("offset", 0))
    inside = (at >= 0) & (at < flat.size)
    result: Array = np.where(inside, flat[np.where(inside, at, 0)], flat.dtype.type(0))
    return result


def _gather_pattern(context: Context, source: Array, selected: Any) -> Array:
    origin = context.inputs[0]
    assert origin is not None
    value = source[tuple(map(slice, origin.valid))]
    if context.attributes.get("axis") in (0, -2):
        return value[..., pattern(selected), :]
    packed = value[..., pattern(selected)]
    out = context.outputs[0]
    if context.exact and out.dtype.is_float:
        return packed.reshape(out.valid)
    return np.ascontiguousarray(packed).view(out.numpy).reshape(out.valid)


def _gather_compare(context: Context, source: Array, threshold: Array) -> tuple[Array, Array]:
    """Per row: the columns where the comparison with the row's threshold holds, packed to the front; and how much that
    is, in elements on A2/A3 and in bytes on the 950."""
    origin = context.inputs[0]
    assert origin is not None
    value = source[tuple(map(slice, origin.valid))]
    rows = value.shape[-2]
    limit = threshold.reshape(-1)[:rows, None] if isinstance(threshold, np.ndarray) else number(threshold, value)
    hits = comparison(context.attributes["compare"])(value, limit)
    order = np.argsort(~hits, axis=-1, kind="stable") + int(context.attributes.get("offset", 0))
    counts = hits.sum(axis=-1, keepdims=True)
    columns, number_of = context.outputs[0], context.outputs[-1]
    kept = np.where(np.arange(order.shape[-1]) < counts, order, 0)[..., : columns.valid[-1]]
    if context.target.arch != "2201":
        counts = counts * columns.dtype.bytes
    laid = counts.reshape(1, -1) if number_of.valid[-2] == 1 else counts
    return kept.astype(columns.numpy), laid.astype(number_of.numpy)


@instruction("TGATHERB", whole=(0,))
def gather_blocks(context: Context, source: Array, offsets: Array) -> Array:
    """Blocks of 32 bytes at byte offsets into the physical tile, one after the other along each row."""
    origin = context.inputs[0]
    assert origin is not None
    per_block = 32 // origin.dtype.bytes
    first = offsets.astype(np.int64) // origin.dtype.bytes
    at = (first[..., None] + np.arange(per_block)).reshape(*offsets.shape[:-1], -1)
    result: Array = source.reshape(-1)[at[..., : context.outputs[0].valid[-1]]]
    return result


@instruction("TSCATTER", whole=(2,))
def scatter(context: Context, source: Array, indices: Array | None = None, destination: Array | None = None) -> Array:
    """By mask `pattern`: the source spread over the selected positions, zeros between. By index into the flat physical
    destination, later elements winning; what is not written keeps its contents (the third input) or becomes zero."""
    view = context.outputs[0]
    selected = context.attributes.get("pattern")
    if selected is not None:
        spread = np.zeros(view.valid, source.dtype)
        spread[..., pattern(selected)] = source
        return spread
    assert indices is not None
    result = np.zeros(view.physical, source.dtype) if destination is None else destination.astype(source.dtype)
    flat = result.reshape(-1)
    part = tuple(slice(min(a, b)) for a, b in zip(source.shape, indices.shape, strict=True))
    at = indices[part].astype(np.int64).reshape(-1)
    inside = (at >= 0) & (at < flat.size)
    flat[at[inside]] = source[part].reshape(-1)[inside]
    return result


def _bounded(indices: NDArray[np.int64], size: int, rule: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Indices made safe by the out-of-bounds rule, and which of them stand for an element."""
    if rule == "clamp":
        # An index is compared without its sign: a negative one is beyond the end.
        return np.where(indices < 0, size - 1, np.minimum(indices, size - 1)), np.ones(indices.shape, bool)
    if rule == "wrap":
        return indices % size, np.ones(indices.shape, bool)
    inside = (indices >= 0) & (indices < size)
    return np.where(inside, indices, 0), inside


@instruction("MGATHER")
def gather_from_memory(context: Context, table: Array, indices: Array) -> Array:
    """Attributes `coalesce` ("elem": flat element index; "row": one index per row) and `oob` ("undefined", "clamp",
    "wrap", "zero"). Undefined out-of-range elements are zero."""
    rows = table.reshape(-1, table.shape[-1])
    by_row = str(context.attributes.get("coalesce", "elem")).lower() == "row"
    rule = str(context.attributes.get("oob", "undefined")).lower()
    size = rows.shape[0] if by_row else rows.size
    at, inside = _bounded(indices.astype(np.int64), size, rule)
    if by_row:
        at, inside = at.reshape(-1), inside.reshape(-1)
        picked = rows[at, : context.outputs[0].valid[-1]]
        return np.where(inside[:, None], picked, picked.dtype.type(0))
    picked = rows.reshape(-1)[at]
    return np.where(inside, picked, picked.dtype.type(0))


_SCATTERS: dict[str, Callable[[Array, Any, Array], None]] = {
    "add": np.add.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}


@instruction("MSCATTER")
def scatter_to_memory(context: Context, source: Array, indices: Array, table: Array) -> Array:
    """Attributes `coalesce` and `oob` ("undefined", "skip", "clamp", "wrap") as for MGATHER, and `atomic` ("none",
    "add", "max", "min"). Without one the last element in row order wins. Undefined ones out of range are skipped."""
    result: Array = table.copy()
    rows = result.reshape(-1, table.shape[-1])
    by_row = str(context.attributes.get("coalesce", "elem")).lower() == "row"
    rule = str(context.attributes.get("oob", "undefined")).lower()
    at, inside = _bounded(indices.astype(np.int64), rows.shape[0] if by_row else rows.size, rule)
    at, inside = at.reshape(-1), inside.reshape(-1)
    place: Any = at[inside]
    target, value = (rows, source) if by_row else (result.reshape(-1), source.reshape(-1))
    if by_row:
        place = (place, slice(source.shape[-1]))
    value = value[inside]
    atomic = str(context.attributes.get("atomic") or "none").lower()
    if atomic == "none":
        target[place] = value
    else:
        _SCATTERS[atomic](target, place, value)
    return result
