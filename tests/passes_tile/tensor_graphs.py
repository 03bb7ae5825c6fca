"""Small Tensor Graphs by hand, as tracing leaves them, and what they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from ptoscope_compiler import targets
from ptoscope_compiler.dtype import FP32, DType
from ptoscope_compiler.ir.graph import Builder, CubeTile, Graph, LogicalTensor, Operation, TileShapes
from ptoscope_compiler.origin import Origin, Span
from ptoscope_compiler.passes.manager import PassContext, State, run_passes

HERE = Origin(Span("kernel.py", 3, 4, 3, 20), "kernel")


class Script:
    """Writes the operations of one segment, one tile shape in force at a time."""

    def __init__(self, tile: tuple[int, ...] = (), cube: CubeTile | None = None) -> None:
        self.builder = Builder()
        self.tiles = TileShapes(tile or None, cube)
        self.operations: list[Operation] = []
        self.inputs: list[LogicalTensor] = []
        self.outputs: list[LogicalTensor] = []

    def input(self, *shape: Any, dtype: DType = FP32, name: str = "") -> LogicalTensor:
        """A parameter, seen through the view that the framework makes of every input."""
        name = name or f"in{len(self.inputs)}"
        outer = self.builder.tensor(self.builder.raw(shape, dtype, name, parameter=True))
        self.inputs.append(outer)
        inner = self.builder.new(shape, dtype)
        self._append("VIEW", (outer,), inner, {"offset": (0,) * len(shape), "IS_GLOBAL_INPUT": True})
        return inner

    def output(self, value: LogicalTensor) -> None:
        """A parameter that `value` is assembled into."""
        name = f"out{len(self.outputs)}"
        outer = self.builder.tensor(self.builder.raw(value.shape, value.dtype, name, parameter=True))
        self.outputs.append(outer)
        self._append("ASSEMBLE", (value,), outer, {"offset": (0,) * value.rank})

    def op(
        self,
        opcode: str,
        *inputs: LogicalTensor,
        shape: Iterable[int] | None = None,
        dtype: DType | None = None,
        **attributes: Any,
    ) -> LogicalTensor:
        """An operation whose result has `shape` (that of the first input by default)."""
        given = inputs[0] if inputs else None
        extents = tuple(shape) if shape is not None else tuple(given.shape) if given else ()
        valid = given.valid_shape if given is not None and shape is None else None
        kind = dtype or (given.dtype if given else FP32)
        return self._append(opcode, inputs, self.builder.new(extents, kind, valid_shape=valid), attributes)

    def view(
        self, source: LogicalTensor, shape: tuple[int, ...], offset: tuple[Any, ...], valid: Any = None
    ) -> LogicalTensor:
        result = self.builder.new(shape, source.dtype, valid_shape=valid)
        return self._append("VIEW", (source,), result, {"offset": offset})

    def reduce(self, kind: str, source: LogicalTensor, axis: int) -> LogicalTensor:
        shape = tuple(1 if a == axis else e for a, e in enumerate(source.shape))
        return self.op(f"ROW{kind}_SINGLE", source, shape=shape, op_attr_AXIS=axis)

    def matmul(self, a: LogicalTensor, b: LogicalTensor, trans_a: bool = False, trans_b: bool = False) -> LogicalTensor:
        rows = a.shape[1] if trans_a else a.shape[0]
        columns = b.shape[0] if trans_b else b.shape[1]
        return self.op("A_MUL_B", a, b, shape=(rows, columns), op_attr_trans_a=trans_a, op_attr_trans_b=trans_b)

    def graph(self) -> Graph:
        return Graph("kernel", self.operations, self.inputs, self.outputs)

    def _append(
        self, opcode: str, inputs: Iterable[LogicalTensor], output: LogicalTensor, attributes: dict[str, Any]
    ) -> LogicalTensor:
        made = self.builder.operation(opcode, inputs, (output,), HERE, attributes, self.tiles)
        self.operations.append(made)
        return output


def context(script: Script, slices: bool, report: Callable[..., None] = print, target: str = "a2a3") -> PassContext:
    return PassContext(targets.load(target), script.builder, report, {"pass.enable_slice": slices})


def passes(
    script: Script, until: str, slices: bool = True, observe: Callable[[str, State], None] | None = None
) -> State:
    """The state after pass `until` of what `script` wrote."""
    return run_passes(script.graph(), context(script, slices), until, observe, after="RemoveUndrivenView")


_BINARY = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "MAXIMUM": np.maximum,
}
_PAIRS = {"PAIRSUM": np.add, "PAIRMAX": np.maximum}
_UNARY = {"EXP": np.exp, "ABS": np.abs, "CAST": np.copy, "REGISTER_COPY": np.copy}
_REDUCE = {"SUM": np.sum, "MAX": np.max}
_SPACES = {"VIEW", "SLICE"}


def evaluate(graph: Graph, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What `graph` leaves in its outputs, by name; every value in float64."""
    values = {tensor.id: inputs[tensor.raw.name] for tensor in graph.inputs}
    for operation in graph.operations:
        _step(operation, values)
    return {tensor.raw.name: values[tensor.id] for tensor in graph.outputs}


def _window(offset: Iterable[int], shape: Iterable[int]) -> tuple[slice, ...]:
    return tuple(slice(start, start + size) for start, size in zip(offset, shape, strict=True))


def _step(operation: Operation, values: dict[int, np.ndarray]) -> None:
    opcode, result = operation.opcode, operation.outputs[0]
    given = [values[tensor.id] for tensor in operation.inputs]
    if opcode in ("ASSEMBLE", "CONTRACT"):
        whole = values.setdefault(result.id, np.full(result.shape, np.nan))
        whole[_window(operation.attributes["offset"], operation.inputs[0].shape)] = given[0]
        return
    if opcode in _SPACES:
        shape = result.shape[::-1] if operation.attribute("op_attr_l1_to_l0_transpose") else result.shape
        part = given[0][_window(operation.attributes["offset"], shape)]
        value = part.T if operation.attribute("op_attr_l1_to_l0_transpose") else part
    elif opcode.startswith("PAIR"):
        value = _paired(_PAIRS[opcode], *given)
    elif opcode in _BINARY:
        value = _BINARY[opcode](*given)
    elif opcode in _UNARY:
        value = _UNARY[opcode](given[0])
    elif opcode == "CONVERT":
        value = given[0]
    elif opcode == "EXPAND":
        value = np.broadcast_to(given[0], result.shape)
    elif opcode == "RESHAPE":
        value = given[0].reshape(result.shape)
    elif opcode.startswith("ROW"):
        kind = opcode[3:].removesuffix("_SINGLE").removesuffix("LINE")
        value = _REDUCE[kind](given[0], axis=operation.attributes["op_attr_AXIS"], keepdims=True)
    elif opcode.startswith("TRANSPOSE"):
        value = np.swapaxes(given[0], *operation.attributes["op_attr_shape"])
    elif opcode in ("A_MUL_B", "A_MULACC_B"):
        left = given[0].T if operation.attribute("op_attr_trans_a") else given[0]
        right = given[1].T if operation.attribute("op_attr_trans_b") else given[1]
        value = left @ right + (given[2] if opcode == "A_MULACC_B" else 0)
    else:
        raise AssertionError(opcode)
    values[result.id] = np.array(value, dtype=np.float64)


def _paired(function: Callable[..., np.ndarray], left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """A pair of which the right may end early: what it lacks is taken from the left."""
    value = left.copy()
    place = _window((0,) * right.ndim, right.shape)
    value[place] = function(left[place], right)
    return value
