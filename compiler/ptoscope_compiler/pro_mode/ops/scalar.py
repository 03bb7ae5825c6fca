"""Scalars: constants, extrema and the place of a core."""

from __future__ import annotations

from ...dtype import BOOL, INT64
from ...evaluate.values import Unsupported, Value
from ...scalar import Scalar, Symbol
from ..api import load
from ..call import Call, emit_steps, family
from ..declarations import ElementType
from ..scalars import as_value, extremum, is_scalar, lower


@family("const")
def const(call: Call) -> Value:
    """A literal of a given type; integers stay integers, floats floats."""
    value, dtype = call.values["value"], call.values["dtype"]
    if not is_scalar(value):
        raise Unsupported("pl.const(): a literal is needed")
    if isinstance(dtype, ElementType) and not isinstance(lower(value), Scalar):
        return float(value) if dtype.dtype.is_float else bool(value) if dtype.dtype is BOOL else int(value)
    return value


@family("constexpr")
def constexpr(call: Call) -> Value:
    value = call.values["value"]
    if is_scalar(value) and isinstance(lower(value), Scalar):
        raise Unsupported("pl.constexpr(): the value is known at run time only")
    return value


@family("scalar_min", "scalar_max")
def scalar_extremum(call: Call) -> Value:
    """The smaller or larger of two scalars; with `dim`, the reduction of a tile."""
    name = call.entry.name
    if call.values["dim"] is None:
        return extremum(name, (call.values["a"], call.values["b"]))
    entry = load("operations")["maximum" if name == "max" else "minimum"]
    values = {"out": call.values["a"], "lhs": call.values["b"], "rhs": call.values["tmp"], "dim": call.values["dim"]}
    emit_steps(Call(entry, values, call.positional, call.site, call.tracer))
    return None


@family("get_block_idx", "get_block_num", "get_subblock_idx", "get_subblock_num")
def core_index(call: Call) -> Value:
    """`block_idx` of a vector core counts the vector cores of all blocks."""
    return as_value(Symbol(call.entry.name.removeprefix("get_")), INT64)
