"""Tensors in global memory and pointers to them, as values of the evaluator."""

from __future__ import annotations

from collections.abc import Sequence

from .. import scalar
from ..dtype import INT64, DType
from ..evaluate.site import Site
from ..evaluate.values import Abstract, Unsupported, Value, is_unknown
from ..hardware import Layout
from ..pto import operands as pto
from ..scalar import ScalarLike
from .current import tracer
from .declarations import ElementType
from .scalars import as_value, is_scalar, lower


def dense_strides(shape: Sequence[ScalarLike]) -> tuple[ScalarLike, ...]:
    """Elements between neighbours along each axis, row by row."""
    strides: list[ScalarLike] = []
    step: ScalarLike = 1
    for extent in reversed(shape):
        strides.append(step)
        step = scalar.mul(step, extent)
    return tuple(reversed(strides))


class Tensor(Abstract):
    """A parameter in global memory, or a view of one made by `pl.make_tensor`."""

    type_name = "tensor"

    def __init__(
        self,
        buffer: str,
        dtype: DType,
        shape: Sequence[ScalarLike],
        strides: Sequence[ScalarLike] | None = None,
        offset: ScalarLike = 0,
        layout: Layout = Layout.ND,
    ) -> None:
        self.buffer = buffer
        self.dtype = dtype
        self.shape = tuple(shape)
        self.strides = dense_strides(shape) if strides is None else tuple(strides)
        self.offset = offset
        self.layout = layout

    def at(self, offsets: Sequence[ScalarLike]) -> ScalarLike:
        """Elements from the start of the buffer to `offsets`."""
        total = self.offset
        for index, stride in zip(offsets, self.strides, strict=False):
            total = scalar.add(total, scalar.mul(index, stride))
        return total

    def whole(self) -> pto.Window:
        """All of the tensor, as an operand."""
        return pto.Window(self.buffer, self.dtype, self.shape, self.strides, self.offset)

    def memory(self) -> pto.Window:
        """The tensor's memory as one row of elements."""
        elements: ScalarLike = 1
        for extent in self.shape:
            elements = scalar.mul(elements, extent)
        return pto.Window(self.buffer, self.dtype, (elements,), (1,), self.offset)

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "shape":
            return tuple(as_value(extent, INT64) for extent in self.shape)
        if name == "dtype":
            return ElementType(self.dtype)
        if name == "ndim":
            return len(self.shape)
        raise Unsupported(f"a tensor has no attribute '{name}'")

    def get_item(self, key: Value, site: Site) -> Value:
        return key if is_unknown(key) else tracer().elements.read(self, key, site)

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        if not is_unknown(key) and not is_unknown(value):
            tracer().elements.write(self, key, value, site)

    def describe(self) -> str:
        return f"Tensor [{', '.join(map(scalar.text, self.shape))}] {self.dtype}"


class GlobalPointer(Abstract):
    """A pointer into global memory: `offset` in elements of `dtype`."""

    type_name = "pointer"

    def __init__(self, buffer: str, dtype: DType, offset: ScalarLike = 0) -> None:
        self.buffer = buffer
        self.dtype = dtype
        self.offset = offset

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if is_unknown(other):
            return other
        if operator == "+" and is_scalar(other):
            return GlobalPointer(self.buffer, self.dtype, scalar.add(self.offset, lower(other)))
        if operator in ("is", "is not"):
            return operator == "is not"
        raise Unsupported(f"a pointer does not support '{operator}'")

    def describe(self) -> str:
        return f"Ptr {self.dtype}: {self.buffer} + {scalar.text(self.offset)}"
