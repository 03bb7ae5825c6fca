"""What is made for particular values of scalars: those on which addresses and extents of operands depend.

A core program is called over and over with the same few extents, the full tile and perhaps a last one that is shorter;
a loop goes round the same few buffers. Made for such values, tiles are fixed views of memory and contexts constants;
offsets of windows, which differ from time to time, stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Generic, TypeVar

from ptoscope_compiler.pto.operands import Operand, Tile, Window
from ptoscope_compiler.pto.program import Assign, CoreProgram, For, Instruction, ReadElement
from ptoscope_compiler.scalar import Scalar, ScalarLike, Symbol, substitute, symbols

from .code import statements
from .scalars import UnboundScalar, Variables

T = TypeVar("T")
_KEPT_VARIANTS = 8


class Variants(Generic[T]):
    """`general`, or what `make` gives for values of the variables `names` that come up again; only for a few values."""

    def __init__(self, names: tuple[str, ...], general: T, make: Callable[[Mapping[str, int]], T]) -> None:
        self._names = names
        self._general = general
        self._make = make
        self._made: dict[tuple[int, ...], T | None] = {}

    def of(self, variables: Variables) -> T:
        """The variant for the values that the variables have now."""
        try:
            values = tuple([variables[name] for name in self._names])
        except UnboundScalar:
            return self._general
        found = self._made.get(values)
        if found is not None:
            return found
        if values in self._made:
            found = self._made[values] = self._make(dict(zip(self._names, values, strict=True)))
            return found
        if len(self._made) < _KEPT_VARIANTS and all(type(value) is int for value in values):
            self._made[values] = None
        return self._general


def deciding_scalars(instruction: Instruction) -> tuple[str, ...]:
    """Names of the scalars on which attributes, addresses and extents of operands depend; sorted."""
    operands = (*instruction.outputs, *instruction.inputs)
    values = [value for operand in operands for value in _placement(operand)]
    values.extend(value for value in instruction.attributes.values() if isinstance(value, Scalar))
    return tuple(sorted({symbol.name for value in values for symbol in symbols(value)}))


def deciding_parameters(program: CoreProgram) -> tuple[str, ...]:
    """Those deciding scalars of all instructions that are constant throughout a call; sorted."""
    names: set[str] = set()
    bound: set[str] = set()
    for statement in statements(program.body):
        if isinstance(statement, (Assign, For, ReadElement)):
            bound.add(statement.name)
        elif isinstance(statement, Instruction):
            bound.update(output.name for output in statement.outputs if isinstance(output, Symbol))
            names.update(deciding_scalars(statement))
    return tuple(sorted(names - bound))


def _placement(operand: Operand) -> Iterator[ScalarLike]:
    if isinstance(operand, Tile):
        yield operand.address
        yield from operand.valid
    elif isinstance(operand, Window):
        yield from operand.shape
        yield from operand.strides


def with_known(instruction: Instruction, values: Mapping[str, int]) -> Instruction:
    """`instruction` with `values` in its attributes and in the addresses and extents of its operands."""

    def settled(operand: Operand) -> Operand:
        if isinstance(operand, Tile):
            valid = tuple(substitute(extent, values) for extent in operand.valid)
            return replace(operand, address=substitute(operand.address, values), valid=valid)
        if isinstance(operand, Window):
            shape = tuple(substitute(extent, values) for extent in operand.shape)
            return replace(operand, shape=shape, strides=tuple(substitute(step, values) for step in operand.strides))
        return operand

    outputs, inputs = tuple(map(settled, instruction.outputs)), tuple(map(settled, instruction.inputs))
    attributes = {
        name: substitute(value, values) if isinstance(value, Scalar) else value
        for name, value in instruction.attributes.items()
    }
    return replace(instruction, outputs=outputs, inputs=inputs, attributes=attributes)
