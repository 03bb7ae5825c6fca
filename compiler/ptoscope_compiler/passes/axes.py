"""Which axes of the tensors of a Tensor Graph run together, and which may be cut into independent pieces.

Two axes run together if an operation maps one to the other point by point. An axis is bound if an operation looks
across it: reduces it, reshapes it, takes a part of it, or is not known to this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import lcm

from ..dtype import UINT8
from ..ir.graph import Graph, LogicalTensor, Operation
from .expand.elementwise import BINARY, SCALAR, SCRATCH, UNARY
from .moves import offset_of

Axis = tuple[int, int]
"""Tensor id and axis."""

POINTWISE = frozenset((*UNARY, *SCALAR, *BINARY, *SCRATCH, "CAST", "REGISTER_COPY", "EXPAND", "VEC_DUP"))
SELECTIONS = frozenset({"CMP", "CMPS", "WHERE_TT", "WHERE_TS", "WHERE_ST", "WHERE_SS"})
REDUCTIONS = frozenset({"ROWMAX_SINGLE", "ROWMIN_SINGLE", "ROWSUM_SINGLE", "ROWPROD_SINGLE"})
TRANSPOSES = frozenset({"TRANSPOSE_MOVEOUT", "TRANSPOSE_MOVEIN", "TRANSPOSE_VNCHWCONV"})


@dataclass(slots=True)
class AxisClass:
    """Axes that run together: their common extent, the tiles they are cut by, and whether something binds them."""

    axes: list[Axis]
    extent: int
    period: int
    bound: bool


@dataclass(slots=True)
class _Analysis:
    parent: dict[Axis, Axis] = field(default_factory=dict)
    tiles: dict[Axis, int] = field(default_factory=dict)
    bound: set[Axis] = field(default_factory=set)

    def find(self, axis: Axis) -> Axis:
        root = axis
        while self.parent.setdefault(root, root) != root:
            root = self.parent[root]
        while self.parent[axis] != root:
            self.parent[axis], axis = root, self.parent[axis]
        return root

    def link(self, left: Axis, right: Axis) -> None:
        self.parent[self.find(left)] = self.find(right)

    def cut(self, axis: Axis, tile: int) -> None:
        self.tiles[axis] = lcm(self.tiles.get(axis, 1), tile)

    def bind(self, *tensors: LogicalTensor) -> None:
        self.bound.update((tensor.id, axis) for tensor in tensors for axis in range(tensor.rank))


def axis_classes(graph: Graph) -> list[AxisClass]:
    """The classes of all axes of tensors within `graph`; its inputs and outputs are windows, they take no part."""
    outside = {tensor.id for tensor in (*graph.inputs, *graph.outputs)}
    analysis = _Analysis()
    for operation in graph.operations:
        _analyse(analysis, operation, outside)
    inner = {tensor.id: tensor for tensor in graph.tensors() if tensor.id not in outside}
    return list(_classes(analysis, inner.values()))


def _classes(analysis: _Analysis, tensors: Iterable[LogicalTensor]) -> Iterable[AxisClass]:
    members: dict[Axis, list[tuple[LogicalTensor, int]]] = {}
    for tensor in tensors:
        for axis in range(tensor.rank):
            members.setdefault(analysis.find((tensor.id, axis)), []).append((tensor, axis))
    for group in members.values():
        extents = {tensor.shape[axis] for tensor, axis in group}
        whole = all(tensor.valid_shape[axis] == tensor.shape[axis] for tensor, axis in group)
        (extent, *others) = extents
        known = isinstance(extent, int) and not others and whole
        axes = [(tensor.id, axis) for tensor, axis in group]
        bound = not known or any(axis in analysis.bound for axis in axes)
        period = lcm(*(analysis.tiles.get(axis, 1) for axis in axes))
        yield AxisClass(axes, extent if isinstance(extent, int) else 0, period, bound)


def _analyse(analysis: _Analysis, operation: Operation, outside: set[int]) -> None:
    if operation.opcode in ("VIEW", "ASSEMBLE"):
        _move(analysis, operation, outside)
    elif any(tensor.id in outside for tensor in (*operation.inputs, *operation.outputs)):
        analysis.bind(*operation.inputs, *operation.outputs)
    elif operation.opcode in POINTWISE:
        _pointwise(analysis, operation, operation.outputs[0].rank)
    elif operation.opcode in SELECTIONS:
        packed = any(tensor.dtype is UINT8 for tensor in (*operation.inputs, *operation.outputs))
        _pointwise(analysis, operation, operation.outputs[0].rank - packed)
    elif operation.opcode in REDUCTIONS:
        _reduction(analysis, operation)
    elif operation.opcode in TRANSPOSES:
        _transpose(analysis, operation)
    elif operation.opcode == "A_MUL_B":
        _product(analysis, operation)
    else:
        analysis.bind(*operation.inputs, *operation.outputs)


def _move(analysis: _Analysis, operation: Operation, outside: set[int]) -> None:
    """A move between outer and inner tensors is a window, which binds nothing; within, only whole axes run on."""
    source, result = operation.inputs[0], operation.outputs[0]
    crosses = (source.id in outside, result.id in outside)
    if crosses in ((True, False), (False, True)):
        return
    offset = offset_of(operation)
    for axis in range(source.rank):
        if source.shape[axis] == result.shape[axis] and offset[axis] == 0:
            analysis.link((source.id, axis), (result.id, axis))
        else:
            analysis.bound.update({(source.id, axis), (result.id, axis)})


def _pointwise(analysis: _Analysis, operation: Operation, free: int) -> None:
    """The first `free` axes run from every input to every output; an input of extent 1 repeats."""
    result = operation.outputs[0]
    for axis in range(result.rank):
        _cut(analysis, operation, result, axis)
        for tensor in (*operation.inputs, *operation.outputs[1:]):
            if axis >= free or tensor.rank != result.rank:
                analysis.bound.update({(result.id, axis), (tensor.id, min(axis, tensor.rank - 1))})
            elif tensor.shape[axis] == result.shape[axis]:
                analysis.link((tensor.id, axis), (result.id, axis))


def _cut(analysis: _Analysis, operation: Operation, tensor: LogicalTensor, axis: int) -> None:
    tile = operation.tiles.vector
    if tile is None or axis >= len(tile):
        analysis.bound.add((tensor.id, axis))
    else:
        analysis.cut((tensor.id, axis), tile[axis])


def _reduction(analysis: _Analysis, operation: Operation) -> None:
    source, result = operation.inputs[0], operation.outputs[0]
    reduced = operation.attributes["op_attr_AXIS"] % source.rank
    for axis in range(source.rank):
        _cut(analysis, operation, source, axis)
        if axis == reduced:
            analysis.bound.update({(source.id, axis), (result.id, axis)})
        else:
            analysis.link((source.id, axis), (result.id, axis))


def _transpose(analysis: _Analysis, operation: Operation) -> None:
    """The tile counts along the input's axes."""
    source, result = operation.inputs[0], operation.outputs[0]
    first, second = operation.attributes["op_attr_shape"]
    target = list(range(source.rank))
    target[first], target[second] = second, first
    for axis in range(source.rank):
        _cut(analysis, operation, source, axis)
        analysis.link((source.id, axis), (result.id, target[axis]))


def _product(analysis: _Analysis, operation: Operation) -> None:
    """Rows of A and columns of B run on to the result; K is summed over, and further operands lie along columns."""
    a, b, *rest = operation.inputs
    result, cube = operation.outputs[0], operation.tiles.cube
    row = 1 if operation.attribute("op_attr_trans_a") else 0
    column = 0 if operation.attribute("op_attr_trans_b") else 1
    analysis.bound.update({(a.id, 1 - row), (b.id, 1 - column)})
    if cube is None or operation.attribute("op_attr_gm_acc") or operation.attribute("op_attr_is_mx"):
        analysis.bind(*operation.inputs, result)
        return
    analysis.link((a.id, row), (result.id, 0))
    analysis.link((b.id, column), (result.id, 1))
    for tensor in rest:
        analysis.bound.add((tensor.id, 0))
        analysis.link((tensor.id, 1), (result.id, 1))
    analysis.cut((result.id, 0), cube.m[0])
    analysis.cut((result.id, 1), cube.n[0])
