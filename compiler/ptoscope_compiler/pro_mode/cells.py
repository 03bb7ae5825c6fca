"""Mutable scalar state of a kernel: group cursors, valid extents of tiles, fields of structures.

A cell holds the scalar that it has at this point of the trace, so that a value read earlier keeps its meaning. Control
flow turns a cell into a variable of the program only where run time decides what it holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import scalar
from ..dtype import DType
from ..scalar import Expression, Scalar, ScalarLike


class Cell:
    """One mutable scalar; `name` is a hint for the variable it may become."""

    __slots__ = ("dtype", "name", "value")

    def __init__(self, name: str, value: ScalarLike, dtype: DType) -> None:
        self.name = name
        self.value = value
        self.dtype = dtype


def assume(value: ScalarLike, index: ScalarLike, choice: int) -> ScalarLike:
    """`value` where `index` is known to equal `choice`: selects on that index are decided."""
    if isinstance(value, Expression) and value.operator == "select":
        condition, then, otherwise = value.operands
        if isinstance(condition, Expression) and condition.operator == "eq" and condition.operands[0] == index:
            return assume(then if condition.operands[1] == choice else otherwise, index, choice)
    return value


def choose(index: ScalarLike, options: Sequence[ScalarLike]) -> ScalarLike:
    """`options[index]`. Evenly spaced numbers become arithmetic."""
    if not isinstance(index, Scalar):
        return options[int(index)]
    decided = [assume(option, index, position) for position, option in enumerate(options)]
    if all(option == decided[0] for option in decided):
        return decided[0]
    if all(isinstance(option, int) for option in decided):
        numbers = [int(option) for option in decided if isinstance(option, int)]
        step = numbers[1] - numbers[0]
        if all(b - a == step for a, b in zip(numbers, numbers[1:], strict=False)):
            return scalar.add(numbers[0], scalar.mul(index, step))
    result = decided[-1]
    for position in range(len(decided) - 2, -1, -1):
        result = scalar.apply("select", scalar.apply("eq", index, position), decided[position], result)
    return result


def store(cells: Sequence[Cell], index: ScalarLike, value: ScalarLike) -> None:
    """`cells[index] = value`; with an index known at run time only, every cell may change."""
    if not isinstance(index, Scalar):
        cells[int(index)].value = value
        return
    for position, cell in enumerate(cells):
        condition = scalar.apply("eq", index, position)
        kept = cell.value
        if isinstance(kept, Expression) and kept.operator == "select" and kept.operands[0] == condition:
            kept = kept.operands[2]
        if kept != value:
            cell.value = scalar.apply("select", condition, value, kept)
