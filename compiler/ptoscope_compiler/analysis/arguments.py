"""The arguments of a call in host code, as kernels take them."""

from __future__ import annotations

from collections.abc import Callable

from ..dtype import BY_NAME, DType
from ..evaluate.arrays.array import AbstractArray
from ..evaluate.functions import UserFunction
from ..evaluate.kernels import Specialisation
from ..evaluate.values import Arguments, Unknown, Value

_BY_LIBRARY_NAME: dict[str, DType] = {}
for _dtype in BY_NAME.values():
    _BY_LIBRARY_NAME.setdefault(_dtype.numpy, _dtype)


def in_order(function: UserFunction, arguments: Arguments) -> list[Value]:
    """One value for each positional parameter: what the call gives, else its default, else Unknown."""
    parameters = [parameter.arg for parameter in (*function.node.args.posonlyargs, *function.node.args.args)]
    values: dict[str, Value] = {name: Unknown(name) for name in parameters}
    if function.defaults:
        values.update(zip(parameters[-len(function.defaults) :], function.defaults, strict=True))
    values.update(zip(parameters, arguments.positional, strict=False))
    values.update((name, value) for name, value in dict(arguments.keywords).items() if name in values)
    return list(values.values())


def arguments_of(call: Specialisation | None, make: Callable[[tuple[int, ...], DType], Value]) -> list[Value]:
    """The arguments of a call as a trace takes them: an array as `make(shape, dtype)`, Unknown where not known.

    Empty where there is no call.
    """
    if call is None:
        return []
    arguments = []
    for value in in_order(call.kernel.function, call.arguments):
        known = shape_and_dtype(value)
        unknown = Unknown("tensor") if isinstance(value, AbstractArray) else value
        arguments.append(unknown if known is None else make(*known))
    return arguments


def shape_and_dtype(value: Value) -> tuple[tuple[int, ...], DType] | None:
    """What a kernel learns of an array of the host; None where the value is none, or not all of it is known."""
    if not isinstance(value, AbstractArray) or value.shape is None or value.dtype is None:
        return None
    extents = tuple(extent for extent in value.shape if isinstance(extent, int))
    dtype = _BY_LIBRARY_NAME.get(value.dtype.name)
    return None if dtype is None or len(extents) < len(value.shape) else (extents, dtype)
