"""Parameters of a kernel: what their annotations and the arguments of a launch make of them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..dtype import BOOL, FP32, INT64, DType
from ..evaluate.classes import UserClass
from ..evaluate.dispatch import evaluate
from ..evaluate.functions import UserFunction
from ..evaluate.interpreter import Interpreter
from ..evaluate.library.dataclass import layout_of
from ..evaluate.values import Unknown, Value
from ..hardware import Layout
from ..pto.program import Buffer
from ..scalar import ScalarLike, Symbol
from .declarations import ElementType, Member, PointerAnnotation, TensorAnnotation
from .scalars import RuntimeScalar
from .structs import Field, Struct
from .tensors import GlobalPointer, Tensor
from .tracer import Tracer


@dataclass(frozen=True)
class TensorArgument:
    """What is known of a tensor that a kernel is called with."""

    shape: tuple[int, ...]
    dtype: DType


@dataclass(frozen=True)
class _Tiling:
    """A parameter of a tiling class: `fields` are (name, element type, length of an array or None)."""

    name: str
    fields: tuple[tuple[str, DType, int | None], ...]


Described = Any


@dataclass
class Parameters:
    """`buffers`, `scalars` and `extents` (dimensions known at launch) in the order of the signature."""

    described: list[Described] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    extents: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)

    def values(self, tracer: Tracer) -> tuple[Value, ...]:
        """Fresh values for one trace: structures are mutable."""
        return tuple(_value(item, tracer) for item in self.described)


def parameters_of(
    function: UserFunction, arguments: Sequence[Any], interpreter: Interpreter, bound: Collection[str]
) -> Parameters:
    """Read the signature; a parameter whose annotation is not understood makes the trace incomplete.

    `bound` are the names that the launch binds.
    """
    annotations = annotations_of(function, interpreter, bound)
    result = Parameters()
    for position, parameter in enumerate(function.node.args.args):
        argument = arguments[position] if position < len(arguments) else None
        given = position < len(arguments)
        _describe(result, parameter.arg, annotations.get(parameter.arg), argument, given)
    return result


def annotations_of(function: UserFunction, interpreter: Interpreter, bound: Collection[str]) -> dict[str, Value]:
    """Values of the annotations; those that are text, or name what the launch binds, are evaluated in the kernel."""
    found = function.annotations(interpreter)
    frame = function.frame(interpreter)
    for parameter in function.node.args.args:
        annotation = parameter.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = ast.parse(annotation.value, mode="eval").body
        if annotation is None:
            continue
        names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
        if isinstance(found.get(parameter.arg), str) or names.intersection(bound):
            found[parameter.arg] = evaluate(frame, annotation)
    return found


def _describe(result: Parameters, name: str, annotation: Value, argument: Any, given: bool) -> None:
    if isinstance(annotation, TensorAnnotation):
        _describe_tensor(result, name, annotation, argument if isinstance(argument, TensorArgument) else None)
    elif isinstance(annotation, PointerAnnotation):
        if given and argument is None:
            result.described.append(None)
            return
        extent = f"{name}.shape[0]"
        result.buffers.append(Buffer(name, annotation.dtype.dtype, (Symbol(extent),)))
        result.extents.append(extent)
        result.described.append(GlobalPointer(name, annotation.dtype.dtype))
    elif isinstance(annotation, ElementType):
        result.scalars.append(name)
        result.described.append(RuntimeScalar(Symbol(name), annotation.dtype))
    else:
        tiling = _tiling(name, annotation)
        if tiling is None:
            result.incomplete.append(f"the annotation of parameter '{name}' is not understood")
            result.described.append(Unknown(name))
            return
        result.scalars.extend(_tiling_scalars(tiling))
        result.described.append(tiling)


def _describe_tensor(
    result: Parameters, name: str, annotation: TensorAnnotation, argument: TensorArgument | None
) -> None:
    declared = list(annotation.shape)
    if declared and declared[-1] is Ellipsis:
        if argument is None:
            result.incomplete.append(f"the rank of parameter '{name}' is known at launch only")
            result.described.append(Unknown(name))
            return
        rank = len(argument.shape)
        declared = [*declared[:-1], *[None] * (rank - len(declared) + 1)]
    shape: list[ScalarLike] = []
    for axis, extent in enumerate(declared):
        if isinstance(extent, int):
            shape.append(extent)
            continue
        is_static = extent is None or getattr(extent, "name", "") == "STATIC"
        if is_static and argument is not None:
            shape.append(argument.shape[axis])
            continue
        symbol = f"{name}.shape[{axis}]"
        result.extents.append(symbol)
        shape.append(Symbol(symbol))
    dtype = annotation.dtype.dtype
    layout = annotation.layout.name if isinstance(annotation.layout, Member) else "ND"
    result.buffers.append(Buffer(name, dtype, tuple(shape), layout))
    strides = None
    if layout == "DN" and len(shape) == 2:
        strides = (1, shape[0])
    result.described.append(Tensor(name, dtype, shape, strides, 0, Layout(layout)))


def _tiling(name: str, annotation: Value) -> _Tiling | None:
    """A tiling class: a dataclass of numbers and arrays of numbers."""
    if not isinstance(annotation, UserClass) or layout_of(annotation) is None:
        return None
    fields: list[tuple[str, DType, int | None]] = []
    for statement in annotation.node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            fields.append((statement.target.id, *_field_type(statement.annotation, annotation)))
    return _Tiling(name, tuple(fields))


def _field_type(annotation: ast.expr, owner: UserClass) -> tuple[DType, int | None]:
    """Element type and length of `int`, `float`, `bool`, or of an array `int[N]`; annotations may be text."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.Subscript):
        length = annotation.slice
        value = owner.module.scope.find(length.id) if isinstance(length, ast.Name) else None
        if isinstance(length, ast.Constant):
            value = length.value
        return _field_type(annotation.value, owner)[0], value if isinstance(value, int) else 1
    kind = annotation.id if isinstance(annotation, ast.Name) else ""
    return {"float": FP32, "bool": BOOL}.get(kind, INT64), None


def _tiling_scalars(tiling: _Tiling) -> list[str]:
    """Names of the scalar parameters that the fields of a tiling structure become."""
    names: list[str] = []
    for field_name, _, length in tiling.fields:
        full = f"{tiling.name}.{field_name}"
        names.extend([full] if length is None else [f"{full}[{index}]" for index in range(length)])
    return names


def _tiling_value(tiling: _Tiling, tracer: Tracer) -> Struct:
    fields: dict[str, Field] = {}
    for name, dtype, length in tiling.fields:
        full = f"{tiling.name}.{name}"
        if length is None:
            fields[name] = tracer.cell(name, Symbol(full), dtype)
        else:
            fields[name] = [tracer.cell(name, Symbol(f"{full}[{index}]"), dtype) for index in range(length)]
    return Struct([fields])


def _value(item: Described, tracer: Tracer) -> Value:
    if isinstance(item, _Tiling):
        return _tiling_value(item, tracer)
    if isinstance(item, Tensor):
        return Tensor(item.buffer, item.dtype, item.shape, item.strides, item.offset, item.layout)
    return item
