"""Scalars known only when a kernel runs: dimensions, loop indices, block ids, tensor elements.

A scalar is either a plain Python number (known now) or a `Scalar` (known at run time). Build expressions with the
functions below, never with the constructors, so that constants fold and equal expressions print alike. Integer `//`
and `%` floor as in Python under the operators FLOORDIV and MOD, and truncate as in C under DIV and REM: Tensor mode
uses the former, run-time code of Pro mode the latter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, Union

Number: TypeAlias = int | float | bool
ScalarLike: TypeAlias = Union[int, float, bool, "Scalar"]


class Scalar:
    """Base of `Symbol`, `Expression` and `ElementRead`. Immutable, hashable, compared by structure."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Symbol(Scalar):
    """A named run-time value: `x.shape[0]`, a loop index, `block_idx`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Expression(Scalar):
    """An operator of `OPERATORS` over scalars."""

    operator: str
    operands: tuple[ScalarLike, ...]

    def __str__(self) -> str:
        sign = _SIGNS.get(self.operator)
        texts = [text(operand) for operand in self.operands]
        if sign and len(texts) == 2:
            return f"({texts[0]}{sign}{texts[1]})"
        return f"{self.operator}({', '.join(texts)})"


@dataclass(frozen=True, slots=True)
class ElementRead(Scalar):
    """One element of a tensor in global memory, read by the control flow: `lengths[i]`."""

    buffer: str
    indices: tuple[ScalarLike, ...]

    def __str__(self) -> str:
        return f"{self.buffer}[{', '.join(text(index) for index in self.indices)}]"


def _truncating_divide(left: Number, right: Number) -> int:
    quotient = abs(left) // abs(right)
    return int(quotient if (left < 0) == (right < 0) else -quotient)


OPERATORS: dict[str, Callable[..., Number]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "div": _truncating_divide,
    "rem": lambda a, b: a - _truncating_divide(a, b) * b,
    "truediv": lambda a, b: a / b,
    "neg": lambda a: -a,
    "min": min,
    "max": max,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "and": lambda a, b: int(bool(a) and bool(b)),
    "or": lambda a, b: int(bool(a) or bool(b)),
    "not": lambda a: int(not a),
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "select": lambda c, a, b: a if c else b,
    "int": int,
    "float": float,
}

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "div": "/", "mod": "%", "rem": "%", "truediv": "/",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "&&", "or": "||",
    "bitand": "&", "bitor": "|", "bitxor": "^", "shl": "<<", "shr": ">>",
}  # fmt: skip


def text(value: ScalarLike) -> str:
    """How a scalar prints, known or not."""
    return str(value)


def known(value: ScalarLike) -> bool:
    """Whether the value is a plain number now."""
    return not isinstance(value, Scalar)


def apply(operator: str, *operands: ScalarLike) -> ScalarLike:
    """`operator` over `operands`, folded and simplified; ZeroDivisionError where a known divisor is zero."""
    for operand in operands:
        if isinstance(operand, Scalar):
            return _simplified(operator, operands)
    return OPERATORS[operator](*operands)


def add(left: ScalarLike, right: ScalarLike) -> ScalarLike:
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return _simplified("add", (left, right))
    return left + right


def sub(left: ScalarLike, right: ScalarLike) -> ScalarLike:
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return _simplified("sub", (left, right))
    return left - right


def mul(left: ScalarLike, right: ScalarLike) -> ScalarLike:
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return _simplified("mul", (left, right))
    return left * right


def floordiv(left: ScalarLike, right: ScalarLike) -> ScalarLike:
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return _simplified("floordiv", (left, right))
    return left // right


def minimum(left: ScalarLike, right: ScalarLike) -> ScalarLike:
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return _simplified("min", (left, right))
    return min(left, right)


def maximum(left: ScalarLike, right: ScalarLike) -> ScalarLike:
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return _simplified("max", (left, right))
    return max(left, right)


def linear(value: ScalarLike) -> tuple[dict[Scalar, int], int] | None:
    """`value` as integer coefficients of opaque terms and a constant; None where a float is involved."""
    if isinstance(value, int):
        return {}, int(value)
    if not isinstance(value, Scalar):
        return None
    if isinstance(value, Expression):
        if value.operator in ("add", "sub"):
            left, right = linear(value.operands[0]), linear(value.operands[1])
            if left is None or right is None:
                return None
            sign = 1 if value.operator == "add" else -1
            terms = dict(left[0])
            for term, factor in right[0].items():
                terms[term] = terms.get(term, 0) + sign * factor
            return {term: factor for term, factor in terms.items() if factor}, left[1] + sign * right[1]
        if value.operator == "mul":
            for constant, other in (value.operands, value.operands[::-1]):
                if isinstance(constant, int) and isinstance(other, Scalar):
                    inner = linear(other)
                    if inner is None:
                        return None
                    return {term: factor * constant for term, factor in inner[0].items()}, inner[1] * constant
    return {value: 1}, 0


def _from_linear(terms: dict[Scalar, int], constant: int) -> ScalarLike:
    total: ScalarLike | None = None
    for term, factor in sorted(terms.items(), key=lambda item: str(item[0])):
        part: ScalarLike = term if factor == 1 else Expression("mul", (term, factor))
        total = part if total is None else Expression("add", (total, part))
    if total is None:
        return constant
    if constant > 0:
        return Expression("add", (total, constant))
    return Expression("sub", (total, -constant)) if constant < 0 else total


def _simplified(operator: str, operands: tuple[ScalarLike, ...]) -> ScalarLike:
    if operator in ("add", "sub") or (operator == "mul" and any(isinstance(o, int) for o in operands)):
        if operator == "mul" and any(o == 0 and isinstance(o, int) for o in operands):
            return 0
        form = linear(Expression(operator, operands))
        if form is not None:
            return _from_linear(*form)
    if operator in ("floordiv", "div", "mod", "rem"):
        return _simplified_division(operator, operands[0], operands[1])
    if operator in ("min", "max", "eq", "ne", "lt", "le", "gt", "ge"):
        difference = linear(Expression("sub", operands))
        if difference is not None and not difference[0]:
            if operator in ("min", "max"):
                smaller = 0 if difference[1] <= 0 else 1
                return operands[smaller if operator == "min" else 1 - smaller]
            return OPERATORS[operator](difference[1], 0)
    if operator == "select":
        if not isinstance(operands[0], Scalar):
            return operands[1] if operands[0] else operands[2]
        if operands[1] == operands[2] and type(operands[1]) is type(operands[2]):
            return operands[1]
    if operator in ("and", "or"):
        for value, other in (operands, operands[::-1]):
            if not isinstance(value, Scalar):
                absorbing = bool(value) == (operator == "or")
                return int(bool(value)) if absorbing else other
    return Expression(operator, operands)


def _simplified_division(operator: str, left: ScalarLike, right: ScalarLike) -> ScalarLike:
    if right == 0 and not isinstance(right, Scalar):
        raise ZeroDivisionError("division or modulo by zero")
    quotient = operator in ("floordiv", "div")
    if right == 1:
        return left if quotient else 0
    form = linear(left)
    if form is not None and isinstance(right, int) and right > 0 and form[0]:
        terms, constant = form
        if all(factor % right == 0 for factor in terms.values()) and constant % right == 0:
            if not quotient:
                return 0
            return _from_linear({term: factor // right for term, factor in terms.items()}, constant // right)
    return Expression(operator, (left, right))


def evaluate(
    value: ScalarLike,
    environment: Mapping[str, Number],
    read: Callable[[str, tuple[int, ...]], Number] | None = None,
) -> Number:
    """The number that `value` has where its symbols are `environment`; KeyError for a symbol that is missing.

    `read(buffer, indices)` supplies tensor elements.
    """
    if not isinstance(value, Scalar):
        return value
    if isinstance(value, Symbol):
        return environment[value.name]
    if isinstance(value, ElementRead):
        if read is None:
            raise KeyError(str(value))
        return read(value.buffer, tuple(int(evaluate(index, environment, read)) for index in value.indices))
    assert isinstance(value, Expression)
    return OPERATORS[value.operator](*(evaluate(operand, environment, read) for operand in value.operands))


def substitute(value: ScalarLike, replacements: Mapping[str, ScalarLike]) -> ScalarLike:
    """`value` with symbols replaced by name, simplified again."""
    if isinstance(value, Symbol):
        return replacements.get(value.name, value)
    if isinstance(value, ElementRead):
        return ElementRead(value.buffer, tuple(substitute(index, replacements) for index in value.indices))
    if isinstance(value, Expression):
        operands = [substitute(operand, replacements) for operand in value.operands]
        if all(new is old for new, old in zip(operands, value.operands, strict=True)):
            return value
        return apply(value.operator, *operands)
    return value


def symbols(value: ScalarLike) -> Iterator[Symbol]:
    """Every symbol within `value`, with repetitions."""
    if isinstance(value, Symbol):
        yield value
    elif isinstance(value, Expression):
        for operand in value.operands:
            yield from symbols(operand)
    elif isinstance(value, ElementRead):
        for index in value.indices:
            yield from symbols(index)
