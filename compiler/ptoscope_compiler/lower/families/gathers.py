"""Indexed reads and writes, element by element on the scalar pipe.

Source: `framework/src/interface/tileop/vector/{gather,scatter}.h` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Callable

from ...hardware import Pipe
from ...ir.graph import LogicalTensor, Operation
from ...pto.program import Body, For, ReadElement, SetFlag, Statement, WaitFlag, WriteElement
from ...scalar import ScalarLike, Symbol, add, mul
from ..operands import scalar
from ..registry import Stream, lowers

_INNER_EVENT = 0
"""The event that InsertSync leaves to tile operations."""
_REPLACE, _ADD = 0, 1
_Indices = tuple[ScalarLike, ...]


@lowers("GATHER_ELEMENT")
def gather_element(stream: Stream, operation: Operation) -> None:
    """result[i, j] = data[indices[i, j], j], the gathered axis being `op_attr_axis`."""
    data, indices = operation.inputs[:2]
    source, result = stream.operand(data), stream.operand(operation.outputs[0])
    axis = operation.attribute("op_attr_axis", 0) % data.rank

    def body(place: _Indices, found: Symbol) -> Body:
        value = "gather.value"
        return (
            ReadElement(value, source, _at(place, axis, found), operation.origin),
            WriteElement(result, place, Symbol(value), operation.origin),
        )

    _on_scalar_pipe(stream, operation, indices, body)


@lowers("SCATTER_ELEMENT", "SCATTER")
def scatter(stream: Stream, operation: Operation) -> None:
    """result starts as data; result[indices[i, j], j] takes, adds or multiplies a scalar or source[i, j]."""
    data, indices, *sources = operation.inputs
    result = stream.operand(operation.outputs[0])
    if data.address != operation.outputs[0].address:
        stream.emit(operation, "TMOV", operation.outputs[:1], (data,), Pipe.V)
    axis = operation.attribute("op_attr_axis", 0) % data.rank
    mode = operation.attribute("op_attr_scatter_mode", _REPLACE)
    origin = operation.origin

    def body(place: _Indices, found: Symbol) -> Body:
        target = _at(place, axis, found)
        statements: list[Statement] = []
        if sources:
            statements.append(ReadElement("scatter.value", stream.operand(sources[0]), place, origin))
            value: ScalarLike = Symbol("scatter.value")
        else:
            value = scalar(operation.attributes["SCALAR"])
        if mode != _REPLACE:
            statements.append(ReadElement("scatter.old", result, target, origin))
            old = Symbol("scatter.old")
            value = add(value, old) if mode == _ADD else mul(value, old)
        statements.append(WriteElement(result, target, value, origin))
        return tuple(statements)

    _on_scalar_pipe(stream, operation, indices, body)


def _at(place: _Indices, axis: int, found: Symbol) -> _Indices:
    return (*place[:axis], found, *place[axis + 1 :])


def _on_scalar_pipe(
    stream: Stream, operation: Operation, indices: LogicalTensor, body: Callable[[_Indices, Symbol], Body]
) -> None:
    """`body(place, index)` for each place of `indices`, between flags from and to the vector pipe."""
    origin = operation.origin
    table = stream.operand(indices)
    place = tuple(Symbol(f"gather.axis{axis}") for axis in range(indices.rank))
    index = Symbol("gather.index")
    statements: Body = (ReadElement(index.name, table, place, origin), *body(place, index))
    for symbol, extent in reversed(list(zip(place, indices.valid_shape, strict=True))):
        statements = (For(symbol.name, 0, extent, 1, statements, origin),)
    stream.body.append(SetFlag(Pipe.V, Pipe.S, _INNER_EVENT, origin))
    stream.body.append(WaitFlag(Pipe.V, Pipe.S, _INNER_EVENT, origin))
    stream.body.extend(statements)
    stream.body.append(SetFlag(Pipe.S, Pipe.V, _INNER_EVENT, origin))
    stream.body.append(WaitFlag(Pipe.S, Pipe.V, _INNER_EVENT, origin))
