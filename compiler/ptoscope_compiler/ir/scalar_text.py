"""Scalars as text, and back.

Symbols whose names are not plain stand in backquotes: `` `x.shape[0]` ``; operators are infix between parentheses or
functions: `(a+1)`, `min(a, 4)`; a read of a tensor element is `x[i, 0]`.
"""

from __future__ import annotations

import re

from ..scalar import ElementRead, Expression, Scalar, ScalarLike, Symbol

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/", "eq": "==", "ne": "!=",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "&&", "or": "||", "bitand": "&", "bitor": "|",
    "bitxor": "^", "shl": "<<", "shr": ">>",
}  # fmt: skip
_OPERATORS = {sign: name for name, sign in _SIGNS.items()}
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_TOKEN = re.compile(
    r"\s*(`[^`]*`|[A-Za-z_]\w*|-?inf|-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|//|&&|\|\||<<|>>|[=!<>]=|[-+*/%<>&|^(),\[\]])"
)
_CONSTANTS = {"True": True, "False": False, "inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


class ScalarSyntax(ValueError):
    """A text that is not a scalar."""


def format_scalar(value: ScalarLike) -> str:
    """The text of a scalar; `parse_scalar` reads it back."""
    if not isinstance(value, Scalar):
        return repr(value)
    if isinstance(value, Symbol):
        return _name(value.name)
    if isinstance(value, ElementRead):
        return f"{_name(value.buffer)}[{', '.join(map(format_scalar, value.indices))}]"
    assert isinstance(value, Expression)
    operands = [format_scalar(operand) for operand in value.operands]
    sign = _SIGNS.get(value.operator)
    if sign and len(operands) == 2:
        return f"({operands[0]} {sign} {operands[1]})"
    return f"{value.operator}({', '.join(operands)})"


def _name(name: str) -> str:
    return name if _NAME.match(name) and name not in _CONSTANTS else f"`{name}`"


def parse_scalar(text: str) -> ScalarLike:
    """The scalar that `text` stands for, as written (nothing is simplified); ScalarSyntax where it is none."""
    parser = _Parser(text)
    value = parser.scalar()
    parser.end()
    return value


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = []
        place = 0
        while place < len(text.rstrip()):
            match = _TOKEN.match(text, place)
            if match is None:
                raise ScalarSyntax(f"'{text}' is not a scalar: column {place + 1}")
            self._tokens.append(match.group(1))
            place = match.end()
        self._tokens.append("")
        self._place = 0

    def _next(self) -> str:
        token = self._tokens[self._place]
        self._place += 1
        return token

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise ScalarSyntax(f"'{self._text}' is not a scalar: '{token}' expected")

    def end(self) -> None:
        self._expect("")

    def scalar(self) -> ScalarLike:
        token = self._next()
        if token == "(":
            return self._infix()
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if token[:1] == "`":
            return self._named(token[1:-1], False)
        if _NAME.match(token):
            return self._named(token, True)
        if token == "-":
            raise ScalarSyntax(f"'{self._text}' is not a scalar")
        try:
            return int(token)
        except ValueError:
            return float(token)

    def _infix(self) -> ScalarLike:
        left = self.scalar()
        operator = self._next()
        if operator not in _OPERATORS:
            raise ScalarSyntax(f"'{self._text}' is not a scalar: unknown operator '{operator}'")
        right = self.scalar()
        self._expect(")")
        return Expression(_OPERATORS[operator], (left, right))

    def _named(self, name: str, may_be_function: bool) -> ScalarLike:
        follows = self._tokens[self._place]
        if follows == "[":
            return ElementRead(name, self._list("]"))
        if follows == "(" and may_be_function:
            return Expression(name, self._list(")"))
        return Symbol(name)

    def _list(self, closing: str) -> tuple[ScalarLike, ...]:
        self._place += 1
        values: list[ScalarLike] = []
        while self._tokens[self._place] != closing:
            values.append(self.scalar())
            if self._tokens[self._place] == ",":
                self._place += 1
        self._place += 1
        return tuple(values)
