"""Methods of arrays: from the array and the arguments to the shape and element type of the result."""

from __future__ import annotations

from typing import NamedTuple

from ..site import Site
from ..values import Arguments, Unknown, Value
from . import shapes
from .array import METHODS, AbstractArray, Method
from .element_type import ElementType, default_type, element_type
from .shapes import Shape


class Ranking(NamedTuple):
    """What torch gives for `max(dim)`, `sort`, `topk`."""

    values: AbstractArray
    indices: AbstractArray


def _ranking(values: AbstractArray) -> Ranking:
    return Ranking(values, values.with_dtype(ElementType("torch", "int64")))


def argument(arguments: Arguments, position: int, *names: str, default: Value = None) -> Value:
    """An argument given by position or by one of these names."""
    if position < len(arguments.positional):
        return arguments.positional[position]
    keywords = dict(arguments.keywords)
    return next((keywords[name] for name in names if name in keywords), default)


def extents(arguments: Arguments, start: int = 0, *names: str) -> Shape | None:
    """A shape given as one sequence or as several dimensions."""
    values = arguments.positional[start:]
    if not values:
        return shapes.shape_of(argument(arguments, start, *names))
    if len(values) == 1:
        return shapes.shape_of(values[0]) if isinstance(values[0], (list, tuple)) else (shapes.dimension(values[0]),)
    return tuple(map(shapes.dimension, values))


def same(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """An array like this one."""
    return array


def floated(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """An element-wise function whose result is never an integer."""
    if array.dtype is None or array.dtype.is_float:
        return array
    return array.with_dtype(default_type(array.library, float))


def boolean(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """An element-wise question."""
    return array.boolean()


def combined(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """An element-wise function of two operands."""
    return array.binary("+", argument(arguments, 0, "other"), False, site)


def compared(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """An element-wise comparison of two operands."""
    return array.binary("<", argument(arguments, 0, "other"), False, site)


def reduced(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """A reduction over `dim`, or over everything."""
    if array.shape is None:
        return array
    over = shapes.axes(argument(arguments, 0, "dim", "axis"), len(array.shape))
    keep = argument(arguments, 1, "keepdim", "keepdims", default=False)
    if over is None or not isinstance(keep, bool):
        return array.with_shape(None)
    dtype = element_type(array.library, argument(arguments, 9, "dtype")) or array.dtype
    return array.with_shape(shapes.reduced(array.shape, over, keep)).with_dtype(dtype)


def extreme(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """`max`, `min`, `median`: with a dimension, torch gives the indices too."""
    by = argument(arguments, 0, "dim", "other")
    if isinstance(by, AbstractArray):
        return combined(array, arguments, site)
    values = reduced(array, arguments, site)
    if array.library != "torch" or by is None or not isinstance(values, AbstractArray):
        return values
    return _ranking(values)


def found(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """`argmax`, `argmin`: a reduction to positions."""
    values = reduced(array, arguments, site)
    return values.with_dtype(ElementType(array.library, "int64")) if isinstance(values, AbstractArray) else values


def questioned(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """`any`, `all`."""
    values = reduced(array, arguments, site)
    return values.boolean() if isinstance(values, AbstractArray) else values


def _reshape(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    if arguments.positional and element_type(array.library, arguments.positional[0]) is not None:
        return array.with_dtype(element_type(array.library, arguments.positional[0]))
    return array.with_shape(shapes.reshaped(array.shape, extents(arguments, 0, "shape", "size")))


def _transpose(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    if array.shape is None:
        return array
    if array.library == "numpy":
        return _permute(array, arguments, site) if arguments.positional else array.with_shape(array.shape[::-1])
    pair = [
        shapes.axis(argument(arguments, position, name), len(array.shape))
        for position, name in enumerate(("dim0", "dim1"))
    ]
    first, second = pair
    if first is None or second is None:
        return array.with_shape(None)
    order = list(range(len(array.shape)))
    order[first], order[second] = order[second], order[first]
    return array.with_shape(tuple(array.shape[index] for index in order))


def _permute(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    order = extents(arguments, 0, "dims")
    if array.shape is None or order is None:
        return array.with_shape(None)
    source = [shapes.axis(index, len(array.shape)) for index in order]
    if any(index is None for index in source):
        return array.with_shape(None)
    return array.with_shape(tuple(array.shape[index] for index in source if index is not None))


def _turned(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    return array.with_shape(None if array.shape is None else array.shape[::-1])


def _unsqueeze(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    if array.shape is None:
        return array
    position = shapes.axis(argument(arguments, 0, "dim", "axis"), len(array.shape) + 1)
    if position is None:
        return array.with_shape(None)
    return array.with_shape((*array.shape[:position], 1, *array.shape[position:]))


def _squeeze(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    if array.shape is None:
        return array
    over = shapes.axes(argument(arguments, 0, "dim", "axis"), len(array.shape))
    if over is None:
        return array.with_shape(None)
    kept = (extent for index, extent in enumerate(array.shape) if index not in over or extent != 1)
    return array.with_shape(tuple(kept))


def _expand(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    target = extents(arguments)
    if array.shape is None or target is None or len(target) < len(array.shape):
        return array.with_shape(target)
    padded = (1,) * (len(target) - len(array.shape)) + array.shape
    pairs = zip(target, padded, strict=True)
    return array.with_shape(tuple(own if extent == -1 else extent for extent, own in pairs))


def _repeat(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    times = extents(arguments)
    if array.library != "torch" or array.shape is None or times is None or len(times) < len(array.shape):
        return array.with_shape(None)
    padded = (1,) * (len(times) - len(array.shape)) + array.shape
    counted = (
        a * b if isinstance(a, int) and isinstance(b, int) else Unknown("dimension")
        for a, b in zip(times, padded, strict=True)
    )
    return array.with_shape(tuple(counted))


def _flatten(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    if array.shape is None:
        return array
    rank = len(array.shape)
    first = shapes.axis(argument(arguments, 0, "start_dim", default=0), rank)
    last = shapes.axis(argument(arguments, 1, "end_dim", default=-1), rank)
    if first is None or last is None or array.library == "numpy":
        return array.with_shape((shapes.size(array.shape),))
    middle = shapes.size(array.shape[first : last + 1])
    return array.with_shape((*array.shape[:first], middle, *array.shape[last + 1 :]))


def _to(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    given = [*arguments.positional, *dict(arguments.keywords).values()]
    for value in given:
        if isinstance(value, AbstractArray):
            return array.with_dtype(value.dtype)
        if isinstance(value, (ElementType, type)):
            return array.with_dtype(element_type(array.library, value))
    return array


def _astype(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    return array.with_dtype(element_type(array.library, argument(arguments, 0, "dtype")))


def _numpy(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    return AbstractArray("numpy", array.shape, array.dtype and ElementType("numpy", array.dtype.name))


def _size(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    if array.shape is None:
        return Unknown("size")
    which = argument(arguments, 0, "dim")
    if which is None:
        return array.shape
    position = shapes.axis(which, len(array.shape))
    return Unknown("size") if position is None else array.shape[position]


def _rank(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    return Unknown("rank") if array.shape is None else len(array.shape)


def _count(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    return Unknown("size") if array.shape is None else shapes.size(array.shape)


def _matmul(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    return array.binary("@", argument(arguments, 0, "other", "mat2"), False, site)


def _new(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    dtype = element_type(array.library, argument(arguments, 9, "dtype")) or array.dtype
    return AbstractArray(array.library, extents(arguments, 0, "size"), dtype)


def _new_full(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    return array.with_shape(shapes.shape_of(argument(arguments, 0, "size")))


def _ranked(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """`sort`: values and positions."""
    return _ranking(array) if array.library == "torch" else None


def _topk(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    count = shapes.dimension(argument(arguments, 0, "k"))
    if array.shape is None:
        return _ranking(array)
    position = shapes.axis(argument(arguments, 1, "dim", default=-1), len(array.shape))
    shape = None if position is None else (*array.shape[:position], count, *array.shape[position + 1 :])
    return _ranking(array.with_shape(shape))


def split(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """Parts of a size along a dimension."""
    part = argument(arguments, 0, "split_size_or_sections", "split_size")
    return _parts(array, part, argument(arguments, 1, "dim", default=0))


def chunk(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
    """A number of parts along a dimension."""
    count, by = argument(arguments, 0, "chunks"), argument(arguments, 1, "dim", default=0)
    position = None if array.shape is None else shapes.axis(by, len(array.shape))
    if position is None or array.shape is None or not isinstance(count, int) or count < 1:
        return Unknown("parts")
    extent = array.shape[position]
    return _parts(array, -(-extent // count), by) if isinstance(extent, int) else Unknown("parts")


def _parts(array: AbstractArray, part: Value, by: Value) -> Value:
    position = None if array.shape is None else shapes.axis(by, len(array.shape))
    if position is None or array.shape is None:
        return Unknown("parts")
    extent = array.shape[position]
    if isinstance(part, int) and part > 0 and isinstance(extent, int):
        lengths: list[Value] = [min(part, extent - start) for start in range(0, extent, part)]
    elif isinstance(part, (list, tuple)):
        lengths = list(map(shapes.dimension, part))
    else:
        return Unknown("parts")
    before, after = array.shape[:position], array.shape[position + 1 :]
    return tuple(array.with_shape((*before, length, *after)) for length in lengths)


def _converted(name: str) -> Method:
    def convert(array: AbstractArray, arguments: Arguments, site: Site) -> Value:
        return array.with_dtype(ElementType(array.library, name))

    return convert


SAME = (
    "abs", "neg", "negative", "relu", "clamp", "clip", "contiguous", "clone", "detach", "cpu", "npu", "cuda", "copy",
    "requires_grad_", "copy_", "fill_", "zero_", "uniform_", "normal_", "random_", "round", "floor", "ceil", "trunc",
    "sign", "square", "tril", "triu", "cumsum", "masked_fill", "masked_fill_", "flip", "roll", "clamp_", "add_", "mul_",
    "sub_", "div_", "exp_", "scatter", "scatter_", "index_add", "index_add_", "index_copy_", "index_put_",
    "share_memory_", "nan_to_num", "pin_memory", "scatter_add_", "fmod", "softmax", "log_softmax", "tril_", "triu_",
)  # fmt: skip
FLOATED = (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "sigmoid", "tanh", "sin",
    "cos", "tan", "atan", "asin", "acos", "sinh", "cosh", "erf", "erfc", "silu", "gelu",
)  # fmt: skip
COMBINED = (
    "add", "sub", "mul", "div", "pow", "maximum", "minimum", "remainder", "bitwise_and", "bitwise_or", "bitwise_xor",
    "floor_divide", "atan2", "fmax", "fmin", "true_divide", "subtract", "multiply", "divide",
)  # fmt: skip
COMPARED = (
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
    "isclose",
    "greater",
    "less",
)
BOOLEAN = ("isnan", "isinf", "isfinite", "logical_not")
REDUCED = ("sum", "mean", "prod", "amax", "amin", "std", "var", "norm", "logsumexp", "nansum")
_CONVERSIONS = {
    "half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool",
}  # fmt: skip

METHODS.update(
    {
        **dict.fromkeys(SAME, same),
        **dict.fromkeys(FLOATED, floated),
        **dict.fromkeys(COMBINED, combined),
        **dict.fromkeys(COMPARED, compared),
        **dict.fromkeys(BOOLEAN, boolean),
        **dict.fromkeys(REDUCED, reduced),
        **dict.fromkeys(("max", "min", "median"), extreme),
        **dict.fromkeys(("argmax", "argmin"), found),
        **dict.fromkeys(("any", "all"), questioned),
        **dict.fromkeys(("reshape", "view"), _reshape),
        **{name: _converted(target) for name, target in _CONVERSIONS.items()},
        **dict.fromkeys(("to", "type"), _to),
        **dict.fromkeys(("matmul", "mm", "bmm", "mv", "dot"), _matmul),
        **dict.fromkeys(("new_zeros", "new_ones", "new_empty"), _new),
        **dict.fromkeys(("flatten", "ravel"), _flatten),
        **dict.fromkeys(("transpose", "swapaxes"), _transpose),
        **dict.fromkeys(("dim", "ndimension"), _rank),
        "permute": _permute,
        "t": _turned,
        "unsqueeze": _unsqueeze,
        "squeeze": _squeeze,
        "expand": _expand,
        "repeat": _repeat,
        "astype": _astype,
        "numpy": _numpy,
        "size": _size,
        "numel": _count,
        "new_full": _new_full,
        "sort": _ranked,
        "topk": _topk,
        "split": split,
        "chunk": chunk,
    }
)
