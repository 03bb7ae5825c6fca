"""Lane-wise arithmetic, comparison and selection on registers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compare import comparison
from ..elementwise import BINARY, UNARY, Binary, Unary
from ..numeric import number, to_integral, wide
from ..numeric import round_mode as named_mode
from ..registry import Array, Context, Function, instruction
from .lanes import Predicate, lane_mask, masked, part


def _population(value: Array) -> Array:
    """Bits set in each element."""
    each = np.unpackbits(np.ascontiguousarray(value).view(np.uint8)).reshape(value.size, -1)
    result: Array = each.sum(axis=-1).astype(value.dtype)
    return result


_BINARY: dict[str, Binary] = {
    f"V{name}": BINARY[name] for name in ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "AND", "OR", "XOR", "SHL", "SHR")
}
_BINARY["VABSDIF"] = lambda left, right: np.abs(np.subtract(left, right))
_BINARY["VADDRELU"] = lambda left, right: np.maximum(left + right, left.dtype.type(0))
_BINARY["VSUBRELU"] = BINARY["SUBRELU"]
_BINARY["VPRELU"] = lambda value, slope: np.where(value > 0, value, value * slope)

_UNARY: dict[str, Unary] = {
    "VABS": UNARY["ABS"],
    "VNEG": UNARY["NEG"],
    "VNOT": UNARY["NOT"],
    "VEXP": UNARY["EXP"],
    "VLN": UNARY["LOG"],
    "VSQRT": UNARY["SQRT"],
    "VRSQRT": UNARY["RSQRT"],
    "VREC": UNARY["RECIP"],
    "VRELU": UNARY["RELU"],
    "VBCNT": _population,
}

_SCALAR: dict[str, Binary] = {
    f"V{name}S": BINARY[name] for name in ("ADD", "SUB", "MUL", "MAX", "MIN", "AND", "OR", "XOR", "SHL", "SHR")
}
_SCALAR["VLRELU"] = lambda value, slope: np.where(value > 0, value, value * slope)


def _binary(function: Binary) -> Function:
    def semantics(context: Context, left: Array, right: Array, mask: Predicate, old: Array | None = None) -> Array:
        return masked(context, function(left, right), mask, old)

    return semantics


def _unary(function: Unary) -> Function:
    def semantics(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
        return masked(context, function(value), mask, old)

    return semantics


def _scalar(function: Binary) -> Function:
    def semantics(context: Context, value: Array, scalar: Any, mask: Predicate, old: Array | None = None) -> Array:
        return masked(context, function(value, number(scalar, value)), mask, old)

    return semantics


for _name, _function in _BINARY.items():
    instruction(_name)(_binary(_function))
for _name, _one in _UNARY.items():
    instruction(_name)(_unary(_one))
for _name, _function in _SCALAR.items():
    instruction(_name)(_scalar(_function))


@instruction("VAXPY")
def axpy(context: Context, value: Array, scalar: Any, mask: Predicate, old: Array) -> Array:
    """scalar * value + old in active lanes, rounded once."""
    total = wide(value) * number(scalar, wide(value)) + wide(old)
    return np.where(mask, context.round(0, total), old)


@instruction("VMULA")
def multiply_add(context: Context, left: Array, right: Array, mask: Predicate, old: Array) -> Array:
    """left * right + old in active lanes, fused: rounded once."""
    return np.where(mask, context.round(0, _fused(left, right, old)), old)


@instruction("VMADD")
def multiply_destination_add(context: Context, left: Array, right: Array, mask: Predicate, old: Array) -> Array:
    """old * left + right in active lanes, fused: rounded once."""
    return np.where(mask, context.round(0, _fused(old, left, right)), old)


def _fused(left: Array, right: Array, addend: Array) -> Array:
    if left.dtype.kind in "iu":
        return left * right + addend
    return left.astype(np.float64) * right.astype(np.float64) + addend.astype(np.float64)


@instruction("VMULL")
def multiply_long(context: Context, left: Array, right: Array, mask: Predicate) -> tuple[Array, Array]:
    """Low and high halves of 32-bit by 32-bit products."""
    long = np.uint64 if left.dtype.kind == "u" else np.int64
    product = left.astype(long) * right.astype(long)
    low, high = product.astype(np.uint32).view(left.dtype), (product >> 32).astype(left.dtype)
    return np.where(mask, low, 0), np.where(mask, high, 0)


def _unsigned(value: Array) -> Array:
    return value.view(np.dtype(f"u{value.dtype.itemsize}")).astype(np.uint64)


@instruction("VADDC", "VADDCS")
def add_carry(context: Context, left: Array, right: Array, *rest: Predicate) -> tuple[Array, Predicate]:
    """Sum, and a predicate of the carries; VADDCS also takes a predicate of carries in, before the mask."""
    *carry, mask = rest
    total = _unsigned(left) + _unsigned(right) + (carry[0].astype(np.uint64) if carry else np.uint64(0))
    carried = (total >> np.uint64(8 * left.dtype.itemsize)) != 0
    return np.where(mask, total.astype(left.dtype), left.dtype.type(0)), carried & mask


@instruction("VSUBC", "VSUBCS")
def subtract_borrow(context: Context, left: Array, right: Array, *rest: Predicate) -> tuple[Array, Predicate]:
    """Difference, and a predicate of lanes that needed no borrow; VSUBCS takes such a predicate, before the mask."""
    *borrow, mask = rest
    missing = (~borrow[0]).astype(np.uint64) if borrow else np.uint64(0)
    subtrahend = _unsigned(right) + missing
    difference = (_unsigned(left) - subtrahend).astype(left.dtype)
    return np.where(mask, difference, left.dtype.type(0)), (_unsigned(left) >= subtrahend) & mask


@instruction("VEXPDIF")
def exponential_of_difference(context: Context, value: Array, largest: Array, mask: Predicate) -> Array:
    """exp(value - largest) in float32. Of 16-bit sources attribute `part` says which of each two lanes take part."""
    if context.exact:
        value, largest = value.astype(np.float64), largest.astype(np.float64)
    lanes = context.outputs[0].valid[-1]
    step, first = value.size // lanes, part(context.attributes.get("part"))
    difference = wide(value[first::step]) - wide(largest[first::step])
    return masked(context, np.exp(difference), lane_mask(mask, lanes, first))


@instruction("VCMP")
def compare(context: Context, left: Array, right: Array, mask: Predicate) -> Predicate:
    """Attribute `compare`; inactive lanes are false."""
    result: Predicate = comparison(context.attributes["compare"])(left, right) & mask
    return result


@instruction("VCMPS")
def compare_scalar(context: Context, left: Array, scalar: Any, mask: Predicate) -> Predicate:
    result: Predicate = comparison(context.attributes["compare"])(left, number(scalar, left)) & mask
    return result


@instruction("VSEL")
def select(context: Context, left: Array, right: Array, mask: Predicate, old: Array | None = None) -> Array:
    """`left` where the predicate holds, else `right`: no lane is left to keep `old`."""
    return context.round(0, np.where(mask, left, right))


@instruction("VMOV")
def copy(context: Context, value: Array, mask: Predicate | None = None, old: Array | None = None) -> Array:
    return np.array(value) if mask is None else masked(context, value, mask, old)


@instruction("VTRC")
def truncate(context: Context, value: Array, mask: Predicate, old: Array | None = None) -> Array:
    """Rounded to an integral value of the same type; attribute `round` (default CAST_TRUNC)."""
    mode = named_mode(context.attributes.get("round", "TRUNC"))
    return masked(context, to_integral(wide(value), mode), mask, old)
