"""How each operation of the Tensor Graph becomes operations on tiles: one file per family."""

from . import (
    argument_reduce,
    cast,
    copy,
    creation,
    elementwise,
    expand_axis,
    gather,
    matmul,
    moves,
    reduce,
    reshape,
    scatter,
    transpose,
    triangle,
    where,
)
from .registry import RULES, Expansion, Rule, expands

__all__ = [
    "RULES",
    "Expansion",
    "Rule",
    "argument_reduce",
    "cast",
    "copy",
    "creation",
    "elementwise",
    "expand_axis",
    "expands",
    "gather",
    "matmul",
    "moves",
    "reduce",
    "reshape",
    "scatter",
    "transpose",
    "triangle",
    "where",
]
