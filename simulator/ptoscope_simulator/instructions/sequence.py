"""Instructions that make their data: index sequences, triangles, random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .registry import Array, Context, instruction

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_LANES = 64
_LOW = np.uint64(0xFFFFFFFF)
_WORD = np.uint64(32)

Words = NDArray[np.uint64]


@instruction("TCI")
def sequence(context: Context, start: Any) -> Array:
    """start, start + 1, ... along the columns; downwards with attribute `descending`."""
    view = context.outputs[0]
    steps = np.arange(view.valid[-1])
    if context.attributes.get("descending"):
        steps = -steps
    if context.exact and view.dtype.is_float:
        values: Array = start + steps.astype(np.float64)
    else:
        values = (start + steps).astype(view.numpy)
    return np.broadcast_to(values, view.valid)


@instruction("TTRI")
def triangle(context: Context, diagonal: int) -> Array:
    """Ones on and below the diagonal, or on and above it with attribute `upper`; zeros elsewhere."""
    view = context.outputs[0]
    rows, columns = np.ogrid[: view.valid[-2], : view.valid[-1]]
    distance = columns - rows
    ones = distance >= diagonal if context.attributes.get("upper") else distance <= diagonal
    dtype = np.float64 if context.exact and view.dtype.is_float else view.numpy
    return np.broadcast_to(ones.astype(dtype), view.valid)


def philox(counter: list[Words], key: tuple[int, int], rounds: int) -> list[Words]:
    """Philox4x32 of each counter (four arrays of 32-bit words); four words of randomness each."""
    first, second, third, fourth = counter
    keys = list(key)
    for _ in range(rounds):
        left, right = first * _MULTIPLIERS[0], third * _MULTIPLIERS[1]
        first = (right >> _WORD) ^ second ^ np.uint64(keys[0])
        second = right & _LOW
        third = (left >> _WORD) ^ fourth ^ np.uint64(keys[1])
        fourth = left & _LOW
        keys = [(word + step) & 0xFFFFFFFF for word, step in zip(keys, _KEY_STEPS, strict=True)]
    return [first, second, third, fourth]


@instruction("TRANDOM")
def random(context: Context) -> Array:
    """Attributes `key` (2 words), `counter` (4 words), `rounds` (7 or 10, default 10).

    The 256 elements of a chunk are four words of each of 64 lanes; lane i counts from the chunk's counter plus i, and
    the counter then moves on by a quarter of the tile's row pitch.
    """
    view = context.outputs[0]
    attributes = context.attributes
    rows, columns = view.valid[-2], view.valid[-1]
    chunks = -(-columns // (4 * _LANES))
    start = sum(int(word) << (32 * place) for place, word in enumerate(attributes["counter"]))
    step = view.physical[-1] // 4
    bases = [start + step * chunk for chunk in range(rows * chunks)]
    counts = [(base + lane) % (1 << 128) for base in bases for lane in range(_LANES)]
    words = [np.array([count >> (32 * place) & 0xFFFFFFFF for count in counts], np.uint64) for place in range(4)]
    key = (int(attributes["key"][0]), int(attributes["key"][1]))
    drawn = np.stack(philox(words, key, int(attributes.get("rounds", 10))))
    lanes = drawn.reshape(4, rows, chunks, _LANES).transpose(1, 2, 0, 3).reshape(rows, -1)
    result: Array = lanes[:, :columns].astype(np.uint32).astype(view.numpy)
    return result
