"""Instructions with some scalars known: where tiles lie and how far operands reach is then decided before they run.

A core program is called over and over with the same few extents, the full tile and perhaps a last one that is shorter.
Prepared for such values, its tiles are fixed views of memory and its contexts constants; offsets of windows, which
differ from call to call, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ptoscope_compiler.pto.operands import Operand, Tile, Window
from ptoscope_compiler.pto.program import Assign, CoreProgram, For, Instruction, ReadElement
from ptoscope_compiler.scalar import ScalarLike, Symbol, substitute, symbols

from .code import statements


def deciding_scalars(program: CoreProgram) -> tuple[str, ...]:
    """Names of the scalars, constant throughout a call, on which addresses and extents of operands depend; sorted."""
    names: set[str] = set()
    bound: set[str] = set()
    for statement in statements(program.body):
        if isinstance(statement, (Assign, For, ReadElement)):
            bound.add(statement.name)
        elif isinstance(statement, Instruction):
            bound.update(output.name for output in statement.outputs if isinstance(output, Symbol))
            for operand in (*statement.outputs, *statement.inputs):
                names.update(symbol.name for value in _placement(operand) for symbol in symbols(value))
    return tuple(sorted(names - bound))


def _placement(operand: Operand) -> Iterator[ScalarLike]:
    if isinstance(operand, Tile):
        yield operand.address
        yield from operand.valid
    elif isinstance(operand, Window):
        yield from operand.shape
        yield from operand.strides


def with_known(instruction: Instruction, values: Mapping[str, int]) -> Instruction:
    """`instruction` with `values` in the addresses and extents of its operands."""

    def settled(operand: Operand) -> Operand:
        if isinstance(operand, Tile):
            valid = tuple(substitute(extent, values) for extent in operand.valid)
            return replace(operand, address=substitute(operand.address, values), valid=valid)
        if isinstance(operand, Window):
            shape = tuple(substitute(extent, values) for extent in operand.shape)
            return replace(operand, shape=shape, strides=tuple(substitute(step, values) for step in operand.strides))
        return operand

    outputs, inputs = tuple(map(settled, instruction.outputs)), tuple(map(settled, instruction.inputs))
    return replace(instruction, outputs=outputs, inputs=inputs)
