"""Which single operation of the Tensor graph, done otherwise, reproduces a golden that the kernel does not.

A golden from outside can show that a kernel computes something else than its author meant, though every instruction is
exact: a reduction along the wrong axis, an operand transposed or not, a row where a column belongs, two operands in the
wrong order. Each such change is tried on each operation, in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Any

from numpy.typing import NDArray
from ptoscope_compiler.ir.graph import Graph, LogicalTensor, Operation, RawTensor
from ptoscope_compiler.ir.kernel import Segment, TensorKernel
from ptoscope_compiler.scalar import Number

from ..golden.evaluate import GoldenError, evaluate

Array = NDArray[Any]
_MOST_TRIALS = 200
_IDS = count(1 << 40)


@dataclass(frozen=True, slots=True)
class Repair:
    """A change to one operation."""

    operation: Operation
    changed: Operation
    description: str
    description_zh: str


def find_repair(
    kernel: TensorKernel,
    arrays: Mapping[str, Array],
    scalars: Mapping[str, Number],
    agrees: Callable[[Mapping[str, Array]], bool],
) -> Repair | None:
    """The first change after which `agrees` holds for the kernel's results; None where there is none."""
    for repair in islice(_repairs(kernel), _MOST_TRIALS):
        try:
            results = evaluate(_changed(kernel, repair), arrays, scalars)
        except GoldenError:
            continue
        if agrees(results):
            return repair
    return None


def _repairs(kernel: TensorKernel) -> Iterator[Repair]:
    for segment in kernel.segments():
        for operation in segment.graph.operations:
            yield from _variants(operation)


def _variants(operation: Operation) -> Iterator[Repair]:
    if operation.opcode.startswith("ROW") and "op_attr_AXIS" in operation.attributes:
        yield from _other_axes(operation)
    elif operation.opcode == "A_MUL_B":
        yield from _other_transpositions(operation)
    elif operation.opcode in ("SUB", "DIV", "POW") and len(operation.inputs) == 2:
        changed = replace(operation, inputs=operation.inputs[::-1])
        yield Repair(operation, changed, "with its operands exchanged", "交换其操作数")
    elif operation.opcode == "RESHAPE":
        yield from _other_shapes(operation)


def _other_axes(operation: Operation) -> Iterator[Repair]:
    source, result = operation.inputs[0], operation.outputs[0]
    used = int(operation.attributes["op_attr_AXIS"]) % source.rank
    for axis in range(source.rank):
        if axis != used:
            shape = tuple(1 if a == axis else extent for a, extent in enumerate(source.shape))
            attributes = {**operation.attributes, "op_attr_AXIS": axis}
            changed = replace(operation, attributes=attributes, outputs=(_like(result, shape), *operation.outputs[1:]))
            yield Repair(operation, changed, f"along axis {axis} instead of {used}", f"沿轴 {axis} 而不是 {used}")


def _other_transpositions(operation: Operation) -> Iterator[Repair]:
    for name, letter in (("op_attr_trans_a", "A"), ("op_attr_trans_b", "B")):
        flipped = not operation.attribute(name, False)
        changed = replace(operation, attributes={**operation.attributes, name: flipped})
        verb, verb_zh = ("transposed", "转置") if flipped else ("not transposed", "不转置")
        yield Repair(operation, changed, f"with {letter} {verb}", f"{letter} {verb_zh}")


def _other_shapes(operation: Operation) -> Iterator[Repair]:
    """A vector made a row where it was made a column, or the other way round."""
    shape = operation.outputs[0].shape
    long_axes = [axis for axis, extent in enumerate(shape) if extent != 1]
    if len(long_axes) != 1 or len(shape) < 2:
        return
    extent = shape[long_axes[0]]
    for axis in range(len(shape)):
        if axis != long_axes[0]:
            other = tuple(extent if a == axis else 1 for a in range(len(shape)))
            attributes = {**operation.attributes, "reshape": list(other)}
            changed = replace(operation, attributes=attributes, outputs=(_like(operation.outputs[0], other),))
            yield Repair(operation, changed, f"to shape {list(other)}", f"变为形状 {list(other)}")


def _like(tensor: LogicalTensor, shape: tuple[Any, ...]) -> LogicalTensor:
    raw = RawTensor(next(_IDS), shape, tensor.dtype)
    return LogicalTensor(tensor.id, raw, shape, (0,) * len(shape), shape)


def _changed(kernel: TensorKernel, repair: Repair) -> TensorKernel:
    """The kernel with one operation replaced; readers of its result read the new one."""
    moved = {
        old.id: new for old, new in zip(repair.operation.outputs, repair.changed.outputs, strict=True) if old is not new
    }

    def change(segment: Segment) -> Segment:
        operations = [
            repair.changed
            if operation is repair.operation
            else replace(operation, inputs=tuple(moved.get(tensor.id, tensor) for tensor in operation.inputs))
            for operation in segment.graph.operations
        ]
        graph = segment.graph
        return Segment(Graph(graph.name, operations, graph.inputs, graph.outputs, graph.stage))

    return kernel.map_segments(change)
