"""`pypto.Tensor` as a class: annotations of parameters, and tensors made within a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..dtype import FP32, DType
from ..evaluate.values import Abstract, Arguments, Unknown, Value, is_unknown
from ..scalar import ScalarLike
from . import api
from .call import bind
from .enums import EnumMember
from .errors import Rejected
from .symbolic import SymbolicScalar, unwrap
from .tensor import Tensor

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .session import Session

STATIC, DYNAMIC = "STATIC", "DYNAMIC"
Dimension = ScalarLike | str


@dataclass(frozen=True)
class TensorDeclaration:
    """What an annotation says. A dimension is a number, a named run-time dimension, STATIC or DYNAMIC.

    `open_ended` holds where the remaining axes are whatever the argument has (`...`, or no shape at all); `dtype` and
    `format` are None where the argument decides. `known` is False where the annotation could not be evaluated.
    """

    dimensions: tuple[Dimension, ...] = ()
    open_ended: bool = True
    dtype: DType | None = None
    format: str | None = None
    name: str = ""
    known: bool = True


class Declaration(Abstract):
    """`pypto.Tensor(...)` or `pypto.Tensor[...]` outside of a kernel."""

    type_name = "pypto.Tensor"

    def __init__(self, declaration: TensorDeclaration) -> None:
        self.declaration = declaration

    def describe(self) -> str:
        dtype = self.declaration.dtype or "any type"
        sizes = [str(dimension) for dimension in self.declaration.dimensions]
        if self.declaration.open_ended:
            sizes.append("...")
        return f"Tensor ({', '.join(sizes)}) {dtype}"


class TensorClass(Abstract):
    """The class itself."""

    type_name = "pypto.Tensor"

    def __init__(self, session: Session) -> None:
        self.session = session

    def describe(self) -> str:
        return "class pypto.Tensor"

    def has_instance(self, value: Value, site: Site) -> bool | None:
        return isinstance(value, Tensor)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        return Unknown("type") if operator == "|" else super().binary(operator, other, reflected, site)

    def call(self, arguments: Arguments, site: Site) -> Value:
        signature = api.signature("pypto.Tensor")
        assert signature is not None
        try:
            bound = bind(signature, arguments, site)
        except Rejected as rejected:
            site.report(rejected.diagnostic)
            return Unknown("error")
        dtype = _dtype(bound.get("dtype"))
        name = bound.get("name") or ""
        format = _format(bound.get("format"))
        tracer = self.session.tracer
        if tracer is None:
            return Declaration(_declared(bound.get("shape"), dtype, format, name if isinstance(name, str) else ""))
        shape = _sizes(bound.get("shape"))
        if shape is None or is_unknown(bound.get("dtype")):
            tracer.give_up(site.origin)
            return Unknown("tensor")
        storage = tracer.new(shape, dtype or FP32, name=name if isinstance(name, str) else "", format=format or "ND")
        tracer.created[storage.id] = site.origin
        return Tensor(self.session, tracer, storage, created=site.origin)

    def get_item(self, key: Value, site: Site) -> Value:
        shape: Value = None
        dtype: DType | None = FP32
        format: str | None = None
        name = ""
        for item in key if isinstance(key, tuple) else (key,):
            if isinstance(item, dict):
                shape, name = item.get("shape", shape), item.get("name", name)
                dtype = _dtype(item["dtype"]) if "dtype" in item else dtype
                format = _format(item.get("format")) or format
            elif isinstance(item, (list, tuple)):
                shape = item
            elif isinstance(item, EnumMember) and item.enumeration == "DataType":
                dtype = item.dtype
            elif isinstance(item, EnumMember) and item.enumeration == "TileOpFormat":
                format = _format(item)
            elif isinstance(item, str):
                name = item
            elif is_unknown(item):
                return Declaration(TensorDeclaration(known=False))
        if key is Ellipsis:
            dtype = None
        return Declaration(_declared(shape, dtype, format, name))

    def get_attribute(self, name: str, site: Site) -> Value:
        if name in api.members("pypto.Tensor"):
            return Unknown(f"pypto.Tensor.{name}")
        return super().get_attribute(name, site)


def _dtype(value: Value) -> DType | None:
    return value.dtype if isinstance(value, EnumMember) else None


def _format(value: Value) -> str | None:
    return value.name.removeprefix("TILEOP_") if isinstance(value, EnumMember) else None


def _sizes(value: Value) -> tuple[ScalarLike, ...] | None:
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    sizes = [None if is_unknown(item) else unwrap(item) for item in value]
    known = [size for size in sizes if size is not None and not isinstance(size, float)]
    return tuple(known) if len(known) == len(sizes) else None


def _declared(shape: Value, dtype: DType | None, format: str | None, name: str) -> TensorDeclaration:
    if shape is None:
        return TensorDeclaration((), True, dtype, format, name)
    if is_unknown(shape) or not isinstance(shape, (list, tuple)):
        return TensorDeclaration((), True, dtype, format, name, known=False)
    dimensions: list[Dimension] = []
    for item in shape:
        if item is Ellipsis:
            return TensorDeclaration(tuple(dimensions), True, dtype, format, name)
        dimension = _dimension(item)
        if dimension is None:
            return TensorDeclaration((), True, dtype, format, name, known=False)
        dimensions.append(dimension)
    return TensorDeclaration(tuple(dimensions), not dimensions, dtype, format, name)


def _dimension(item: Value) -> Dimension | None:
    if isinstance(item, EnumMember):
        return STATIC if item.name == "STATIC" else DYNAMIC
    if isinstance(item, SymbolicScalar):
        return item.scalar
    if isinstance(item, int) and not isinstance(item, bool):
        return DYNAMIC if item == -1 else item
    return None
