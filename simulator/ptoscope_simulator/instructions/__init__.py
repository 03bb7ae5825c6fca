"""Semantics, layouts and cycle costs of PTO instructions. `registry.semantics(opcode)` is the way in."""

from . import (  # noqa: F401 (each registers its instructions)
    compare,
    convert,
    elementwise,
    expand,
    fused,
    gather,
    histogram,
    matmul,
    micro,
    move,
    partial,
    quantise,
    reduce,
    sequence,
    sort,
    transfer,
)
