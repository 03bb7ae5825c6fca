"""Evaluation of a kernel's Tensor graphs, with its loops and branches, over numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ptoscope_compiler.dtype import DType, Kind
from ptoscope_compiler.ir.graph import LogicalTensor, Operation, RawTensor
from ptoscope_compiler.ir.kernel import Branch, Loop, Rebind, Region, Segment, SetElement, SetScalar, TensorKernel
from ptoscope_compiler.origin import Origin
from ptoscope_compiler.scalar import Number, Scalar, ScalarLike
from ptoscope_compiler.scalar import evaluate as number_of

from ..numerics import numpy_dtype
from .registry import Array, Golden, GoldenContext, UnknownOperation, lookup

Observer = Callable[[Operation, tuple[Array, ...], tuple[Array, ...]], None]
Lookup = Callable[[Operation], Golden]

MAXIMAL_TURNS = 5_000_000


class GoldenError(Exception):
    """A kernel that has no golden: an operation without one, operands that do not fit, or a loop that does not end."""

    def __init__(self, origin: Origin, reason: str) -> None:
        self.origin = origin
        self.reason = reason
        super().__init__(f"{origin.span}: {reason}")


def evaluate(
    kernel: TensorKernel,
    arrays: Mapping[str, Array],
    scalars: Mapping[str, Number] = {},
    storage: bool = False,
    observe: Observer | None = None,
    find: Lookup | None = None,
) -> dict[str, Array]:
    """The final contents of every parameter of a kernel at stage "tensor"; `arrays` stay as they are.

    Floating point is float64, integers are int64. With `storage` each result is rounded to the element type of its
    tensor, which makes an oracle for the compiled program. `observe` gets each operation with its inputs and results.
    `find` replaces the registry. GoldenError where the kernel cannot be evaluated.
    """
    with np.errstate(all="ignore"):
        evaluation = _Evaluation(kernel, arrays, scalars, storage, observe, find or (lambda op: lookup(op.opcode)))
        evaluation.region(kernel.body)
        return {raw.name: evaluation.contents[raw.id] for raw in kernel.parameters}


def widened(array: Array, dtype: DType) -> Array:
    """A copy in the type that golden arithmetic uses for elements of `dtype`."""
    if dtype.is_float:
        return np.array(array.astype(np.float64))
    return np.array(array.astype(bool) if dtype.kind is Kind.BOOLEAN else array.astype(np.int64))


class _Evaluation:
    def __init__(
        self,
        kernel: TensorKernel,
        arrays: Mapping[str, Array],
        scalars: Mapping[str, Number],
        storage: bool,
        observe: Observer | None,
        find: Lookup,
    ) -> None:
        self.storage = storage
        self.observe = observe
        self.find = find
        self.turns = 0
        self.environment: dict[str, Number] = dict(scalars)
        self.contents: dict[int, Array] = {}
        self.named: dict[str, Array] = {}
        for raw in kernel.parameters:
            array = np.asarray(arrays[raw.name])
            for axis, extent in enumerate(array.shape):
                self.environment[f"{raw.name}.shape[{axis}]"] = extent
            self.contents[raw.id] = widened(array, raw.dtype)
            self.named[raw.name] = self.contents[raw.id]
        for raw in kernel.workspace:
            if all(not isinstance(extent, Scalar) for extent in raw.shape):
                self._allocate(raw)

    def region(self, region: Region) -> None:
        for node in region:
            if isinstance(node, Segment):
                for operation in node.graph.operations:
                    self._operation(operation)
            elif isinstance(node, Loop):
                self._loop(node)
            elif isinstance(node, Branch):
                self.region(node.then if self.number(node.condition) else node.otherwise)
            elif isinstance(node, SetScalar):
                self.environment[node.symbol.name] = self.number(node.value)
            elif isinstance(node, Rebind):
                self._allocate(node.target)[...] = self._allocate(node.source)
            else:
                self._set_element(node)

    def number(self, value: ScalarLike) -> Number:
        return number_of(value, self.environment, self._read)

    def _numbers(self, values: Any) -> tuple[int, ...]:
        return tuple(int(self.number(value)) for value in values)

    def _read(self, buffer: str, indices: tuple[int, ...]) -> Number:
        found: Number = self.named[buffer][indices].item()
        return found

    def _loop(self, loop: Loop) -> None:
        start, stop, step = self._numbers((loop.start, loop.stop, loop.step))
        for index in range(start, stop, step):
            self.turns += 1
            if self.turns > MAXIMAL_TURNS:
                raise GoldenError(loop.origin, f"the loop has not ended after {MAXIMAL_TURNS} turns")
            self.environment[loop.index.name] = index
            self.region(loop.body)

    def _set_element(self, node: SetElement) -> None:
        self.named[node.buffer][self._numbers(node.indices)] = self.number(node.value)

    def _allocate(self, raw: RawTensor) -> Array:
        found = self.contents.get(raw.id)
        changes = any(isinstance(extent, Scalar) for extent in raw.shape)
        if found is None or (changes and found.shape != self._numbers(raw.shape)):
            kind = np.float64 if raw.dtype.is_float else bool if raw.dtype.kind is Kind.BOOLEAN else np.int64
            found = self.contents[raw.id] = np.zeros(self._numbers(raw.shape), kind)
            if raw.name:
                self.named[raw.name] = found
        return found

    def _window(self, tensor: LogicalTensor, extent: tuple[int, ...]) -> Array:
        starts = self._numbers(tensor.offset)
        place = tuple(slice(start, start + size) for start, size in zip(starts, extent, strict=True))
        return self._allocate(tensor.raw)[place]

    def _operation(self, operation: Operation) -> None:
        try:
            self._execute(operation)
        except GoldenError:
            raise
        except UnknownOperation as error:
            raise GoldenError(operation.origin, str(error)) from None
        except Exception as error:
            raise GoldenError(operation.origin, f"{operation.opcode} has no golden value here: {error}") from error

    def _execute(self, operation: Operation) -> None:
        entry = self.find(operation)
        inputs = tuple(
            self._window(tensor, self._numbers(tensor.shape if entry.whole else tensor.valid_shape))
            for tensor in operation.inputs
        )
        if not operation.outputs:
            return
        shapes = tuple(self._numbers(tensor.shape) for tensor in operation.outputs)
        valid = tuple(self._numbers(tensor.valid_shape) for tensor in operation.outputs)
        if self._is_alias(operation, inputs):
            self.contents[operation.outputs[0].raw.id] = inputs[0].reshape(shapes[0])
            self._note(operation, inputs, (inputs[0].reshape(shapes[0]),))
            return
        previous = self._window(operation.outputs[0], shapes[0])
        context = GoldenContext(operation, self._attributes(operation), shapes, valid, previous)
        result = entry.function(context, *inputs)
        results = result if isinstance(result, tuple) else (result,)
        written = []
        for index, (tensor, value) in enumerate(zip(operation.outputs, results)):  # noqa: B905 (scratch outputs)
            corner = context.corner if index == 0 else ()
            written.append(self._write(tensor, shapes[index], corner, np.asarray(value)))
        self._note(operation, inputs, tuple(written))

    def _note(self, operation: Operation, inputs: tuple[Array, ...], results: tuple[Array, ...]) -> None:
        if self.observe is not None:
            self.observe(operation, inputs, results)

    def _is_alias(self, operation: Operation, inputs: tuple[Array, ...]) -> bool:
        """An in-place reshape of a whole tensor shares its storage."""
        if operation.opcode != "RESHAPE" or not operation.attribute("op_attr_isInplace", False):
            return False
        output = operation.outputs[0]
        return (
            output.raw.id not in self.contents
            and inputs[0].flags.c_contiguous
            and inputs[0].size == self._allocate(operation.inputs[0].raw).size
            and self._numbers(output.shape) == self._numbers(output.raw.shape)
        )

    def _write(self, tensor: LogicalTensor, shape: tuple[int, ...], corner: tuple[int, ...], value: Array) -> Array:
        if self.storage:
            value = _rounded(value, tensor.dtype)
        target = self._window(tensor, shape)
        starts = corner or (0,) * value.ndim
        place = tuple(slice(start, start + size) for start, size in zip(starts, value.shape, strict=True))
        target[place] = value
        return target[place]

    def _attributes(self, operation: Operation) -> dict[str, Any]:
        return {name: self._resolved(value) for name, value in operation.attributes.items()}

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, Scalar):
            return self.number(value)
        if isinstance(value, (tuple, list)):
            return tuple(self._resolved(item) for item in value)
        return value


def _rounded(value: Array, dtype: DType) -> Array:
    return value.astype(numpy_dtype(dtype)).astype(np.float64 if dtype.is_float else np.int64)
