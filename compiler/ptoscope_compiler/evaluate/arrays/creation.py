"""Functions of torch and numpy that make arrays."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..site import Site
from ..values import Arguments, Unknown, Value, is_unknown
from . import shapes
from .array import AbstractArray
from .element_type import ElementType, default_type, element_type
from .methods import argument, extents

Function = Callable[[str, Arguments, Site], Value]


def _typed(library: str, arguments: Arguments, position: int, kind: type | None = float) -> ElementType | None:
    """The `dtype` of a creation, or what the library takes where none is given."""
    given = argument(arguments, position, "dtype")
    if given is None:
        return None if kind is None else default_type(library, kind)
    return element_type(library, given)


def sized(library: str, arguments: Arguments, site: Site) -> Value:
    """`zeros`, `ones`, `empty`: a shape, and numpy takes the element type after it."""
    if library == "numpy":
        return AbstractArray(library, shapes.shape_of(argument(arguments, 0, "shape")), _typed(library, arguments, 1))
    return AbstractArray(library, extents(arguments, 0, "size"), _typed(library, arguments, 99))


def random(library: str, arguments: Arguments, site: Site) -> Value:
    """`rand`, `randn`: dimensions one by one, or a shape; none for a number."""
    if library == "numpy" and not arguments.positional:
        return Unknown("random number")
    return AbstractArray(library, extents(arguments, 0, "size"), _typed(library, arguments, 99))


def filled(library: str, arguments: Arguments, site: Site) -> Value:
    """`full`."""
    value = argument(arguments, 1, "fill_value")
    dtype = _typed(library, arguments, 2, None if is_unknown(value) else type(value))
    return AbstractArray(library, shapes.shape_of(argument(arguments, 0, "size", "shape")), dtype)


def like(library: str, arguments: Arguments, site: Site) -> Value:
    """`zeros_like` and its kin."""
    model = argument(arguments, 0, "input", "a", "prototype")
    if not isinstance(model, AbstractArray):
        return Unknown("array")
    given = argument(arguments, 99, "dtype")
    return model if given is None else model.with_dtype(element_type(library, given))


def integers(library: str, arguments: Arguments, site: Site) -> Value:
    """`randint(low, high, size)`; torch also takes `randint(high, size)`."""
    size = argument(arguments, 2, "size")
    if size is None and len(arguments.positional) == 2 and library == "torch":
        size = arguments.positional[1]
    if size is None:
        return Unknown("random number")
    return AbstractArray(library, shapes.shape_of(size), _typed(library, arguments, 99, int))


def drawn(library: str, arguments: Arguments, site: Site) -> Value:
    """`uniform(low, high, size)`, `normal(mean, std, size)`."""
    size = argument(arguments, 2, "size")
    if size is None:
        return Unknown("random number")
    return AbstractArray(library, shapes.shape_of(size), _typed(library, arguments, 99))


def sequence(library: str, arguments: Arguments, site: Site) -> Value:
    """`arange`."""
    limits = list(arguments.positional[:3])
    keywords = dict(arguments.keywords)
    if not limits:
        limits = [keywords.get("start", 0), keywords.get("end", keywords.get("stop")), keywords.get("step", 1)]
    start, stop, step = limits if len(limits) == 3 else [0, limits[0], 1] if len(limits) == 1 else [*limits, 1]
    numbers = (start, stop, step)
    if not all(isinstance(number, (int, float)) for number in numbers) or step == 0:
        return AbstractArray(library, (Unknown("dimension"),), _typed(library, arguments, 3, None))
    kind = float if any(isinstance(number, float) for number in numbers) else int
    count = max(0, math.ceil((stop - start) / step))
    return AbstractArray(library, (count,), _typed(library, arguments, 3, kind))


def spaced(library: str, arguments: Arguments, site: Site) -> Value:
    """`linspace`."""
    count = shapes.dimension(argument(arguments, 2, "steps", "num", default=50))
    return AbstractArray(library, (count,), _typed(library, arguments, 99))


def identity(library: str, arguments: Arguments, site: Site) -> Value:
    """`eye`."""
    rows = argument(arguments, 0, "n", "N")
    columns = argument(arguments, 1, "m", "M", default=rows)
    shape = (shapes.dimension(rows), shapes.dimension(columns))
    return AbstractArray(library, shape, _typed(library, arguments, 2))


def shuffled(library: str, arguments: Arguments, site: Site) -> Value:
    """`randperm`."""
    return AbstractArray(library, (shapes.dimension(argument(arguments, 0, "n")),), _typed(library, arguments, 99, int))


def given(library: str, arguments: Arguments, site: Site) -> Value:
    """`tensor`, `array`, `asarray`, `from_numpy`: from nested lists, or from another array."""
    data = argument(arguments, 0, "data", "object", "obj")
    dtype = argument(arguments, 1 if library == "numpy" else 99, "dtype")
    if isinstance(data, AbstractArray):
        own = data.dtype and ElementType(library, data.dtype.name)
        return AbstractArray(library, data.shape, own if dtype is None else element_type(library, dtype))
    shape = shapes.nested(data)
    own = default_type(library, _kind_of(data))
    return AbstractArray(library, shape, own if dtype is None else element_type(library, dtype))


def _kind_of(data: Value) -> type:
    if isinstance(data, (list, tuple)):
        kinds = [_kind_of(item) for item in data]
        return next((kind for kind in (complex, float, int, bool) if kind in kinds), float if not kinds else object)
    return type(data)


CREATION: dict[str, Function] = {
    **dict.fromkeys(("zeros", "ones", "empty"), sized),
    **dict.fromkeys(("rand", "randn"), random),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"), like),
    **dict.fromkeys(("tensor", "as_tensor", "array", "asarray", "from_numpy", "ascontiguousarray"), given),
    "full": filled,
    "randint": integers,
    "arange": sequence,
    "linspace": spaced,
    "eye": identity,
    "randperm": shuffled,
}

NUMPY_RANDOM: dict[str, Function] = {
    **dict.fromkeys(("rand", "randn", "random", "standard_normal", "random_sample"), random),
    **dict.fromkeys(("uniform", "normal"), drawn),
    "randint": integers,
}
