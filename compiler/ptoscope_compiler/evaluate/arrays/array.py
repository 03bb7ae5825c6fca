"""An array of host code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..site import Site
from ..values import Abstract, Arguments, Builtin, Unknown, Value, is_unknown
from . import shapes
from .element_type import ElementType, default_type, promoted
from .shapes import Shape

Method = Callable[["AbstractArray", Arguments, Site], Value]
METHODS: dict[str, Method] = {}
"""The methods of arrays, by name; filled by `methods`."""

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class AbstractArray(Abstract):
    """A torch tensor or numpy array, of which only shape and element type are known.

    `shape` holds ints and Unknown, None where the rank is not known; `dtype` is None where it is not known. Arrays with
    the same facts compare equal.
    """

    library: str
    shape: Shape | None
    dtype: ElementType | None

    truth_is_symbolic = False

    @property
    def type_name(self) -> str:  # type: ignore[override]
        return "Tensor" if self.library == "torch" else "ndarray"

    def with_shape(self, shape: Shape | None) -> AbstractArray:
        return replace(self, shape=shape)

    def with_dtype(self, dtype: ElementType | None) -> AbstractArray:
        return replace(self, dtype=dtype)

    def boolean(self) -> AbstractArray:
        return replace(self, dtype=ElementType(self.library, "bool"))

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "shape":
            return Unknown("shape") if self.shape is None else self.shape
        if name == "dtype":
            return Unknown("dtype") if self.dtype is None else self.dtype
        if name == "ndim":
            return Unknown("ndim") if self.shape is None else len(self.shape)
        if name == "size" and self.library == "numpy":
            return Unknown("size") if self.shape is None else shapes.size(self.shape)
        if name in ("T", "mT") and self.shape is not None:
            return self.with_shape(self.shape[::-1] if name == "T" else (*self.shape[:-2], *self.shape[:-3:-1]))
        if name in ("data", "real", "grad"):
            return self
        if name == "is_npu":
            return Unknown(name)
        method = METHODS.get(name)
        return Unknown(name) if method is None else ArrayMethod(name, self)

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        """Attributes of arrays change nothing that is known of them."""

    def get_item(self, key: Value, site: Site) -> Value:
        return self.with_shape(None if self.shape is None else shapes.indexed(self.shape, key))

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        """Elements are not known, so that changing them changes nothing."""

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator in ("is", "is not", "in", "and", "or"):
            return super().binary(operator, other, reflected, site) if operator.startswith("is") else Unknown(operator)
        left, right = (other, self) if reflected else (self, other)
        if operator == "@":
            return self.joined(left, right, shapes.matmul(shape(left), shape(right)))
        result = self.joined(left, right, shapes.broadcast(shape(left), shape(right)))
        if operator in _COMPARISONS:
            return result.boolean()
        if operator == "/" and result.dtype is not None and not result.dtype.is_float:
            return result.with_dtype(default_type(self.library, float))
        return result

    def joined(self, left: Value, right: Value, result: Shape | None) -> AbstractArray:
        """The result of an operation on `left` and `right`, one of which may be a number."""
        if isinstance(left, AbstractArray) and isinstance(right, AbstractArray):
            return AbstractArray(self.library, result, promoted(left.dtype, right.dtype))
        number = right if isinstance(left, AbstractArray) else left
        dtype = None if is_unknown(number) else self.dtype
        if isinstance(number, float) and dtype is not None and not dtype.is_float:
            dtype = default_type(self.library, float)
        return AbstractArray(self.library, result, dtype)

    def unary(self, operator: str, site: Site) -> Value:
        return self.boolean() if operator == "not" else self

    def truth(self, site: Site) -> bool | None:
        return None

    def iterate(self, site: Site) -> Iterable[Value]:
        if not self.shape or not isinstance(self.shape[0], int):
            return [Unknown("element")]
        return [self.with_shape(self.shape[1:])] * self.shape[0]

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        if name == "len" and self.shape:
            return self.shape[0]
        if name in ("abs", "round"):
            return self
        return Unknown(name)

    def describe(self) -> str:
        dtype = "?" if self.dtype is None else self.dtype.name
        extents = "?" if self.shape is None else ", ".join("?" if is_unknown(e) else str(e) for e in self.shape)
        return f"{self.type_name}[[{extents}], {dtype}]"


def shape(value: Value) -> Shape | None:
    """The shape of an operand: that of an array, none for a number."""
    if isinstance(value, AbstractArray):
        return value.shape
    return () if isinstance(value, (int, float, bool, complex)) else shapes.nested(value)


class ArrayMethod(Builtin):
    """A method of an array."""

    def __init__(self, name: str, array: AbstractArray) -> None:
        super().__init__(name)
        self.array = array

    def call(self, arguments: Arguments, site: Site) -> Value:
        return METHODS[self.name](self.array, arguments, site)
