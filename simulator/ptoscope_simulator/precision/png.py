"""A PNG image from an array of colours, and a data URI of it."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def encode(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG of `pixels`, shape (rows, columns, 3), eight bits per channel."""
    rows, columns, _ = pixels.shape
    lines = np.concatenate((np.zeros((rows, 1), np.uint8), pixels.reshape(rows, -1)), axis=1)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def data_uri(pixels: NDArray[np.uint8]) -> str:
    """`encode`, as the source of an HTML image."""
    return "data:image/png;base64," + base64.b64encode(encode(pixels)).decode("ascii")
