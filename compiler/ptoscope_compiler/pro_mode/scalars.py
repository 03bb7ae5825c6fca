"""Scalars of a kernel that only run time knows, with the C arithmetic of the generated code.

Promotion and operators: `python/pypto_pro/language/parser/_expression_parser.py` of hicann/pypto. Integer `//` and `%`
truncate towards zero, as in C; scalars known while tracing are Python numbers and follow Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import scalar
from ..dtype import BOOL, FP32, INT64, DType
from ..evaluate.site import Branch, Site, WhileLoop
from ..evaluate.values import Abstract, Arguments, Unsupported, Value, is_unknown
from ..scalar import Scalar, ScalarLike
from .current import tracer

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul"}
_BITWISE = {"&": "bitand", "|": "bitor", "^": "bitxor", "<<": "shl", ">>": "shr"}
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_LOGICAL = {"and": "and", "or": "or"}


class RuntimeScalar(Abstract):
    """A scalar of the kernel known at run time only."""

    type_name = "run-time scalar"

    def __init__(self, value: Scalar, dtype: DType) -> None:
        self.value = value
        self.dtype = dtype

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if is_unknown(other):
            return other
        if operator in ("is", "is not"):
            return operator == "is not"
        if not is_scalar(other):
            raise Unsupported(f"a scalar has no operator '{operator}' with {describe(other)}")
        left, right = (other, self) if reflected else (self, other)
        return combine(operator, left, right)

    def unary(self, operator: str, site: Site) -> Value:
        if operator == "-":
            return combine("*", -1, self)
        if operator == "not":
            return as_value(scalar.apply("not", self.value), BOOL)
        if operator == "~":
            return combine("^", self, -1)
        return self

    def truth(self, site: Site) -> bool | None:
        return None

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        if name in ("min", "max") and len(arguments.positional) > 1:
            return extremum(name, arguments.positional)
        if name == "abs":
            negative = combine("*", -1, self)
            return extremum("max", (self, negative))
        if name in ("int", "float"):
            dtype = INT64 if name == "int" else FP32
            return as_value(scalar.apply(name, self.value), dtype)
        raise Unsupported(f"{name}() of a run-time scalar")

    def select_from(self, items: Sequence[Value], site: Site) -> Value:
        from .structs import pick

        return pick(items, self)

    def trace_branch(self, branch: Branch, site: Site) -> bool:
        return tracer().control.branch(self.value, branch, site)

    def trace_while(self, loop: WhileLoop, site: Site) -> bool:
        return tracer().control.while_loop(loop, site)

    def describe(self) -> str:
        return f"{self.dtype}: {self.value}"


def describe(value: Value) -> str:
    return value.describe() if isinstance(value, Abstract) else repr(value)


def is_scalar(value: Value) -> bool:
    return isinstance(value, (bool, int, float, RuntimeScalar))


def lower(value: Value) -> ScalarLike:
    """The program's form of a scalar value; Unsupported where `value` is none."""
    if isinstance(value, RuntimeScalar):
        return value.value
    if isinstance(value, (bool, int, float)):
        return value
    raise Unsupported(f"a scalar is needed, not {describe(value)}")


def dtype_of(value: Value) -> DType:
    """Element type of a scalar value: Python numbers are INT64, FP32 and BOOL."""
    if isinstance(value, RuntimeScalar):
        return value.dtype
    if isinstance(value, bool):
        return BOOL
    return FP32 if isinstance(value, float) else INT64


def as_value(value: ScalarLike, dtype: DType) -> Value:
    """`value` for the evaluator: a Python number where it is known."""
    if isinstance(value, Scalar):
        return RuntimeScalar(value, dtype)
    return bool(value) if dtype is BOOL else value


def promoted(left: DType, right: DType) -> DType:
    """Type of an arithmetic result: FP32 where one side is a float, else the wider integer."""
    if left.is_float or right.is_float:
        return left if left == right else FP32
    wider = left if left.bits >= right.bits else right
    return INT64 if wider is BOOL else wider


def combine(operator: str, left: Value, right: Value) -> Value:
    """`left operator right`, at least one of them known at run time only. ZeroDivisionError by a known zero."""
    a, b = lower(left), lower(right)
    dtype = promoted(dtype_of(left), dtype_of(right))
    if operator in _ARITHMETIC:
        return as_value(scalar.apply(_ARITHMETIC[operator], a, b), dtype)
    if operator in _COMPARISONS:
        return as_value(scalar.apply(_COMPARISONS[operator], a, b), BOOL)
    if operator in _LOGICAL:
        return as_value(scalar.apply(_LOGICAL[operator], a, b), BOOL)
    if operator in _BITWISE:
        if dtype.is_float:
            raise Unsupported(f"'{operator}' needs integer scalars")
        return as_value(scalar.apply(_BITWISE[operator], a, b), dtype)
    if operator == "/":
        return as_value(scalar.apply("truediv", a, b), FP32)
    if operator in ("//", "%"):
        quotient = operator == "//"
        if dtype.is_float:
            return as_value(scalar.apply("floordiv" if quotient else "mod", a, b), dtype)
        return as_value(scalar.apply("div" if quotient else "rem", a, b), dtype)
    raise Unsupported(f"run-time scalars do not support '{operator}'")


def extremum(name: str, values: tuple[Value, ...]) -> Value:
    """The smallest ("min") or largest ("max") of scalars."""
    result = values[0]
    for value in values[1:]:
        dtype = promoted(dtype_of(result), dtype_of(value))
        result = as_value(scalar.apply(name, lower(result), lower(value)), dtype)
    return result
