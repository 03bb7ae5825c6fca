"""Lowering of operations that need more than a list of instructions, one file per family."""

from . import (
    control,
    creation,
    debug,
    element,
    matrix,
    movement,
    permutation,
    scalar,
    synchronisation,
    vector,
    vector_memory,
)

__all__ = [
    "control",
    "creation",
    "debug",
    "element",
    "matrix",
    "movement",
    "permutation",
    "scalar",
    "synchronisation",
    "vector",
    "vector_memory",
]
