"""Scalars of a program compiled once to Python functions over the variables of a core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from ptoscope_compiler.scalar import OPERATORS, ElementRead, Expression, Number, Scalar, ScalarLike, Symbol

ElementReader = Callable[[str, tuple[int, ...]], Number]
Evaluator = Callable[["Variables"], Any]

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/",
    "bitand": "&", "bitor": "|", "bitxor": "^", "shl": "<<", "shr": ">>",
}  # fmt: skip
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class UnboundScalar(LookupError):
    """A symbol has no value where the program uses it."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"scalar {name} has no value here")


def _no_reader(buffer: str, indices: tuple[int, ...]) -> Number:
    raise UnboundScalar(f"{buffer}{list(indices)}")


class Variables(dict[Any, Any]):
    """Values of scalar symbols by name, and the means to read tensor elements. Loop counters live beside them under
    keys that are not strings."""

    __slots__ = ("read",)

    def __init__(self, values: Mapping[Any, Any] = {}, read: ElementReader = _no_reader) -> None:
        super().__init__(values)
        self.read = read

    def __missing__(self, name: Any) -> Any:
        raise UnboundScalar(str(name))

    def named(self) -> dict[str, Number]:
        """The symbols alone, for display."""
        return {name: value for name, value in self.items() if isinstance(name, str)}


def source(value: ScalarLike) -> str:
    """`value` as a Python expression over `e`, the variables."""
    if not isinstance(value, Scalar):
        if isinstance(value, float) and not math.isfinite(value):
            return f"float('{value}')"
        return repr(value)
    if isinstance(value, Symbol):
        return f"e[{value.name!r}]"
    if isinstance(value, ElementRead):
        return f"e.read({value.buffer!r}, {_tuple(source(index) for index in value.indices)})"
    assert isinstance(value, Expression)
    texts = [source(operand) for operand in value.operands]
    if value.operator in _INFIX:
        return f"({texts[0]} {_INFIX[value.operator]} {texts[1]})"
    if value.operator in _COMPARISONS:
        return f"int({texts[0]} {_COMPARISONS[value.operator]} {texts[1]})"
    if value.operator == "and":
        return f"int(bool({texts[0]}) and bool({texts[1]}))"
    if value.operator == "or":
        return f"int(bool({texts[0]}) or bool({texts[1]}))"
    if value.operator == "select":
        return f"({texts[1]} if {texts[0]} else {texts[2]})"
    return f"OPERATORS[{value.operator!r}]({', '.join(texts)})"


def _tuple(texts: Iterable[str]) -> str:
    return "(" + "".join(f"{text}, " for text in texts) + ")"


@lru_cache(maxsize=65536)
def _function(text: str) -> Evaluator:
    function: Evaluator = eval(f"lambda e: {text}", {"OPERATORS": OPERATORS})
    return function


def evaluator(value: ScalarLike) -> Evaluator:
    """A function from variables to the number that `value` has."""
    return _function(source(value))


def evaluator_of_all(values: Iterable[ScalarLike]) -> Evaluator:
    """A function from variables to the tuple of numbers."""
    return _function(_tuple(source(value) for value in values))


def evaluator_of_mapping(values: Mapping[str, ScalarLike]) -> Evaluator:
    """A function from variables to a dict of numbers."""
    return _function("{" + "".join(f"{name!r}: {source(value)}, " for name, value in values.items()) + "}")
