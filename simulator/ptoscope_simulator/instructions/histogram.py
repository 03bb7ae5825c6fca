"""THISTOGRAM: cumulative counts of one byte of each element of a row, among elements whose higher bytes match."""

from __future__ import annotations

import numpy as np

from .registry import Array, Context, instruction


@instruction("THISTOGRAM")
def histogram(context: Context, source: Array, filters: Array) -> Array:
    """Attribute `byte` (0 the lowest). uint16: byte 0 counts elements whose high byte is the row's filter. uint32: the
    filter of byte 3 - i, for bytes above the counted one, is in row i of `filters`. The result has 256 columns."""
    counted = int(context.attributes["byte"])
    width = source.dtype.itemsize
    chosen = np.ones(source.shape, bool)
    for byte in range(counted + 1, width):
        wanted = filters[..., :1] if width == 2 else filters[width - 1 - byte, 0]
        chosen &= (source >> (8 * byte)) & 0xFF == wanted
    values = (source >> (8 * counted)) & 0xFF
    counts = [np.bincount(row[mask], minlength=256) for row, mask in zip(values, chosen, strict=True)]
    return np.cumsum(counts, axis=-1).astype(context.outputs[0].numpy)
