"""Compile one tile of each kind: axes that repeat are shortened before expansion, calls are multiplied behind.

A class of axes that run together (`axes.axis_classes`) and that nothing looks across is cut into full periods and a
tail. `reduce` keeps one period and the tail, the passes run on what is left, and `multiply` (`multiplication.py`)
repeats the calls on the period and moves those on the tail. So compile time does not depend on the number of tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..ir.graph import Graph, LogicalTensor, Operation, RawTensor
from ..scalar import add
from .axes import AxisClass, axis_classes
from .moves import offset_of
from .multiplication import Multiplication, Place, Shortened

GROUPING_OPTIONS = (
    "vec_nbuffer_setting",
    "cube_nbuffer_setting",
    "cube_l1_reuse_setting",
    "vec_nbuffer_setting_by_label",
)
"""Options by which users make the compiler treat several tiles as one."""


def reduce(graph: Graph, options: Mapping[str, object] | None = None) -> tuple[Graph, Multiplication]:
    """`graph` (a Tensor Graph before ExpandFunction) with repeating axes shortened, and how to undo that."""
    if any(_is_set(options or {}, name) for name in GROUPING_OPTIONS):
        return graph, Multiplication()
    classes = [c for c in axis_classes(graph) if not c.bound and c.period > 1 and c.extent >= 2 * c.period]
    classes = _consistent(graph, classes)
    if not classes:
        return graph, Multiplication()
    shortened = tuple(Shortened(c.period, c.extent // c.period) for c in classes)
    lengths = {axis: c.period + c.extent % c.period for c in classes for axis in c.axes}
    tensors = _shorten(graph, lengths)
    reduced = Graph(graph.name, _rewired(graph, tensors), graph.inputs, graph.outputs, graph.stage)
    return reduced, Multiplication(shortened, _places(graph, classes))


def _is_set(options: Mapping[str, object], name: str) -> bool:
    return bool(options.get(name) or options.get(f"pass.{name}"))


def _windows(graph: Graph) -> list[tuple[LogicalTensor, LogicalTensor, Operation]]:
    """(outer, inner, move) of every move between the graph's inputs or outputs and tensors within."""
    outside = {tensor.id for tensor in (*graph.inputs, *graph.outputs)}
    found = []
    for operation in graph.operations:
        if operation.opcode in ("VIEW", "ASSEMBLE"):
            source, result = operation.inputs[0], operation.outputs[0]
            if source.id in outside and result.id not in outside:
                found.append((source, result, operation))
            elif result.id in outside and source.id not in outside:
                found.append((result, source, operation))
    return found


def _consistent(graph: Graph, classes: list[AxisClass]) -> list[AxisClass]:
    """Without the classes of which an axis of outer storage is used in more than one way."""
    number = {axis: index for index, c in enumerate(classes) for axis in c.axes}
    seen: dict[tuple[int, int], set[tuple[int | None, str]]] = {}
    for outer, inner, move in _windows(graph):
        for axis in range(inner.rank):
            start = str(add(outer.offset[axis], offset_of(move)[axis]))
            seen.setdefault((outer.raw.id, axis), set()).add((number.get((inner.id, axis)), start))
    ambiguous = {index for uses in seen.values() if len(uses) > 1 for index, _ in uses}
    return [c for index, c in enumerate(classes) if index not in ambiguous]


def _shorten(graph: Graph, lengths: Mapping[tuple[int, int], int]) -> dict[int, LogicalTensor]:
    """The shortened tensors by id, with the ids of the originals."""
    touched = {id for id, _ in lengths}
    raws: dict[int, RawTensor] = {}
    tensors = {}
    for tensor in graph.tensors():
        if tensor.id not in touched:
            continue
        shape = tuple(lengths.get((tensor.id, axis), extent) for axis, extent in enumerate(tensor.shape))
        valid = tuple(lengths.get((tensor.id, axis), extent) for axis, extent in enumerate(tensor.valid_shape))
        raw = raws.setdefault(tensor.raw.id, replace(tensor.raw, shape=shape))
        tensors[tensor.id] = replace(tensor, raw=raw, shape=shape, valid_shape=valid)
    return tensors


def _rewired(graph: Graph, tensors: Mapping[int, LogicalTensor]) -> list[Operation]:
    return [
        replace(
            operation,
            inputs=tuple(tensors.get(tensor.id, tensor) for tensor in operation.inputs),
            outputs=tuple(tensors.get(tensor.id, tensor) for tensor in operation.outputs),
        )
        for operation in graph.operations
    ]


def _places(graph: Graph, classes: list[AxisClass]) -> dict[int, dict[int, Place]]:
    number = {axis: index for index, c in enumerate(classes) for axis in c.axes}
    places: dict[int, dict[int, Place]] = {}
    for outer, inner, move in _windows(graph):
        for axis in range(inner.rank):
            if (inner.id, axis) in number:
                start = add(outer.offset[axis], offset_of(move)[axis])
                places.setdefault(outer.raw.id, {})[axis] = Place(number[inner.id, axis], start)
    return places
