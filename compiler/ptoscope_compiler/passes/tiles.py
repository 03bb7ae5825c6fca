"""Questions about tile graphs that several passes ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

from ..hardware import CoreKind, MemorySpace
from ..ir.graph import Graph, LogicalTensor, Operation, RawTensor, changed
from ..scalar import ScalarLike, add, mul

VIEWS = frozenset({"VIEW", "SLICE"})
ASSEMBLES = frozenset({"ASSEMBLE", "CONTRACT"})
STRUCTURAL = VIEWS | ASSEMBLES | {"CONVERT"}
CUBE_SPACES = frozenset(space for space in MemorySpace if space not in (MemorySpace.GM, MemorySpace.UB))
BLOCK_BYTES = 32


def on_chip(tensor: LogicalTensor) -> bool:
    """Whether the tensor lives in a core's own memory."""
    return tensor.memory is not None and tensor.memory is not MemorySpace.GM


def core_kind(operation: Operation) -> CoreKind | None:
    """The kind of core that runs an operation, by the memories it touches; None for one within global memory.

    A move from the memory of one kind to that of the other belongs to the kind that gets the tile.
    """
    spaces = {tensor.memory for tensor in (*operation.inputs, *operation.outputs) if on_chip(tensor)}
    if operation.opcode in STRUCTURAL and on_chip(operation.outputs[0]):
        spaces = {operation.outputs[0].memory}
    if spaces & CUBE_SPACES:
        return CoreKind.AIC
    return CoreKind.AIV if spaces else None


def is_load(operation: Operation) -> bool:
    """Whether the operation only brings a window of global memory onto the chip."""
    return (
        operation.opcode in (*VIEWS, "COPY_IN") and not on_chip(operation.inputs[0]) and on_chip(operation.outputs[0])
    )


def is_alias(operation: Operation) -> bool:
    """Whether the operation only gives memory that exists another name."""
    if operation.opcode not in (*VIEWS, *ASSEMBLES, "RESHAPE"):
        return False
    return root(operation.inputs[0].raw).id == root(operation.outputs[0].raw).id


def rewired(operation: Operation, tensors: Mapping[int, LogicalTensor]) -> Operation:
    """`operation` with tensors replaced by id."""
    if not any(tensor.id in tensors for tensor in (*operation.inputs, *operation.outputs)):
        return operation
    inputs = tuple(tensors.get(tensor.id, tensor) for tensor in operation.inputs)
    outputs = tuple(tensors.get(tensor.id, tensor) for tensor in operation.outputs)
    return operation.with_tensors(inputs, outputs)


def with_attributes(operation: Operation, **attributes: Any) -> Operation:
    """`operation` with attributes added."""
    return changed(operation, attributes={**operation.attributes, **attributes})


def derived(graph: Graph, operations: Iterable[Operation], tensors: Mapping[int, LogicalTensor] | None = None) -> Graph:
    """`graph` with other operations, and with tensors replaced by id everywhere."""
    if not tensors:
        return Graph(graph.name, operations, graph.inputs, graph.outputs, graph.stage)
    return Graph(
        graph.name,
        (rewired(operation, tensors) for operation in operations),
        (tensors.get(tensor.id, tensor) for tensor in graph.inputs),
        (tensors.get(tensor.id, tensor) for tensor in graph.outputs),
        graph.stage,
    )


def root(raw: RawTensor) -> RawTensor:
    """The storage at the end of a chain of aliases."""
    while raw.storage is not None:
        raw = raw.storage
    return raw


def dense_strides(shape: Iterable[ScalarLike]) -> tuple[ScalarLike, ...]:
    """Elements per step along each axis of a dense tensor, last axis innermost."""
    extents = tuple(shape)
    steps: list[ScalarLike] = [1] * len(extents)
    for axis in range(len(extents) - 1, 0, -1):
        steps[axis - 1] = mul(steps[axis], extents[axis])
    return tuple(steps)


def strides(raw: RawTensor) -> tuple[ScalarLike, ...]:
    """Elements per step along each axis of a raw tensor."""
    return dense_strides(raw.shape) if raw.strides is None else raw.strides


def linear_offset(raw: RawTensor, offset: Iterable[ScalarLike]) -> ScalarLike:
    """Elements between the start of the root storage of `raw` and the element at `offset`."""
    total: ScalarLike = 0
    for start, step in zip(offset, strides(raw), strict=True):
        total = add(total, mul(start, step))
    while raw.storage is not None:
        total = add(total, raw.base)
        raw = raw.storage
    return total


def raw_elements(raw: RawTensor) -> int:
    """Elements of an on-chip raw tensor, whose shape is always known."""
    return prod(extent for extent in raw.shape if isinstance(extent, int))


def raw_bytes(raw: RawTensor) -> int:
    """Bytes of an on-chip raw tensor."""
    return (raw_elements(raw) * raw.dtype.bits + 7) // 8


def align(value: int, base: int) -> int:
    """`value` rounded up to a multiple of `base`."""
    return -(-value // base) * base


def reshaped_strides(
    shape: Sequence[ScalarLike], steps: Sequence[ScalarLike], target: Sequence[ScalarLike]
) -> tuple[ScalarLike, ...] | None:
    """Strides with which the elements of a strided tensor, in order, have the shape `target`; None if none exist."""
    if tuple(steps) == dense_strides(shape):
        return dense_strides(target)
    source = [(extent, step) for extent, step in zip(shape, steps, strict=True) if extent != 1]
    result: list[ScalarLike] = [1] * len(target)
    axis = len(target)
    while source:
        extent, step = source.pop()
        while source and source[-1][1] == mul(extent, step):
            extent = mul(extent, source.pop()[0])
        covered: ScalarLike = 1
        while covered != extent:
            axis -= 1
            if axis < 0:
                return None
            result[axis] = mul(covered, step)
            covered = mul(covered, target[axis])
            if isinstance(covered, int) and isinstance(extent, int) and covered > extent:
                return None
    return tuple(result) if all(extent == 1 for extent in target[:axis]) else None
