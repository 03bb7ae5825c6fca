"""One leaf function as a core program."""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.execute import LeafFunction
from ..ir.graph import Operation
from ..origin import Origin
from ..passes.tiles import on_chip
from ..pto.operands import Tile, Window
from ..pto.program import CoreProgram, Instruction
from ..scalar import Scalar, ScalarLike, symbols
from . import families  # noqa: F401 (registers the rules)
from .operands import offset_name
from .registry import Stream


def lower_leaf(leaf: LeafFunction, arch: str) -> CoreProgram:
    """The instructions of `leaf`; NotLowered where an operation has no rule yet."""
    stream = Stream(arch)
    for operation in leaf.graph.operations:
        stream.lower(operation)
    buffers = tuple(tensor.raw.name for tensor in (*leaf.graph.inputs, *leaf.graph.outputs))
    scalars = (*(offset_name(name) for name in buffers), *_formal_scalars(leaf))
    origin = _origin(leaf.graph.operations)
    return CoreProgram(leaf.name, leaf.core, buffers, scalars, tuple(stream.body), origin, _peaks(stream))


def _origin(operations: tuple[Operation, ...]) -> Origin:
    return operations[0].origin


def _formal_scalars(leaf: LeafFunction) -> list[str]:
    names: dict[str, None] = {}
    for operation in leaf.graph.operations:
        for value in _scalars(operation):
            if isinstance(value, Scalar):
                names.update((symbol.name, None) for symbol in symbols(value))
    return list(names)


def _scalars(operation: Operation) -> Iterable[ScalarLike]:
    for tensor in (*operation.inputs, *operation.outputs):
        yield from tensor.valid_shape
        yield from tensor.offset
        if not on_chip(tensor):
            yield from (*tensor.shape, *tensor.raw.shape, *(tensor.raw.strides or ()))
    for value in operation.attributes.values():
        yield from value if isinstance(value, (list, tuple)) else (value,)


def _peaks(stream: Stream) -> dict[str, int]:
    """Per memory, the end of the highest tile, in bytes."""
    peaks: dict[str, int] = {}
    for statement in stream.body:
        if not isinstance(statement, Instruction):
            continue
        for operand in (*statement.outputs, *statement.inputs):
            if isinstance(operand, Tile) and not isinstance(operand, Window) and isinstance(operand.address, int):
                name = operand.type.space.value
                peaks[name] = max(peaks.get(name, 0), operand.address + operand.type.bytes)
    return peaks
