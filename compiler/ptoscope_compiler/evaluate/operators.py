"""Operators and truth, over any values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from typing import Any

from ..diagnostics.rules import pt661_runtime_condition
from .natives import LARGEST_SEQUENCE, is_concrete
from .operation import Operation
from .values import Abstract, Unknown, Unsupported, Value, is_unknown

SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.UAdd: "+", ast.USub: "-", ast.Invert: "~",
    ast.Not: "not",
}  # fmt: skip

NATIVE_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd, "*": operator.imul, "&": operator.iand, "|": operator.ior, "^": operator.ixor,
    "-": operator.isub,
}  # fmt: skip

_UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}

_GROWING = frozenset({"*", "**", "<<"})
_NUMBERS = (int, float, bool)
_SEQUENCES = (str, bytes, list, tuple)
_LARGEST_BITS = 20_000


def binary(symbol: str, left: Value, right: Value, site: Operation) -> Value:
    """`left symbol right`; Unknown where an operand is, or where Python would raise."""
    if type(left) in _NUMBERS and type(right) in _NUMBERS and symbol not in _GROWING:
        try:
            return NATIVE_OPERATORS[symbol](left, right)
        except Exception as error:
            return site.fail(error)
    if isinstance(left, Abstract) or isinstance(right, Abstract):
        return _abstract_binary(symbol, left, right, site)
    if is_unknown(left) or is_unknown(right):
        return Unknown("operand")
    if symbol in ("==", "!="):
        return _equality(symbol, left, right, site)
    return _native_binary(symbol, left, right, site)


def in_place(symbol: str, left: Value, right: Value, site: Operation) -> Value:
    """`left symbol= right`: changes lists, dicts and sets, and makes a new value of anything else."""
    if not isinstance(left, (list, dict, set)):
        return binary(symbol, left, right, site)
    site.interpreter.mutating(left)
    if is_unknown(right) or site.interpreter.is_vague(right):
        site.interpreter.forget(left)
        return left
    if isinstance(right, Abstract):
        if isinstance(left, list) and symbol == "+":
            right = list(right.iterate(site))
        else:
            return binary(symbol, left, right, site)
    if symbol not in _IN_PLACE or _is_too_large(symbol, left, right):
        return binary(symbol, left, right, site)
    try:
        return _IN_PLACE[symbol](left, right)
    except Exception as error:
        return site.fail(error)


def unary(symbol: str, operand: Value, site: Operation) -> Value:
    """`symbol operand`."""
    if is_unknown(operand):
        return Unknown("operand")
    if isinstance(operand, Abstract):
        if symbol == "not":
            known = truth(operand, site)
            if known is not None:
                return not known
        try:
            return operand.unary(symbol, site)
        except Unsupported as reason:
            return site.fail(TypeError(str(reason)))
    if symbol == "not":
        known = truth(operand, site)
        return Unknown("operand") if known is None else not known
    try:
        return _UNARY[symbol](operand)
    except Exception as error:
        return site.fail(error)


def compare(symbol: str, left: Value, right: Value, site: Operation) -> Value:
    """A single comparison, with identity and membership."""
    if symbol in ("is", "is not"):
        return _identity(symbol, left, right, site)
    if symbol in ("in", "not in"):
        found = contains(right, left, site)
        if symbol == "in" or is_unknown(found):
            return found
        return unary("not", found, site)
    return binary(symbol, left, right, site)


def truth(value: Value, site: Operation) -> bool | None:
    """Truth of `value`; None where it is Unknown, or where only run time knows."""
    if is_unknown(value):
        return None
    if isinstance(value, Abstract):
        return value.truth(site)
    if site.interpreter.is_vague(value):
        return None
    try:
        return bool(value)
    except Exception as error:
        site.fail(error)
        return None


def is_symbolic(value: Value) -> bool:
    """Whether a truth that is not known now is known at run time."""
    return isinstance(value, Abstract) and value.truth_is_symbolic


def definite_truth(value: Value, site: Operation) -> bool | None:
    """Truth where a plain answer is needed: a finding where only run time knows, None where nobody does."""
    known = truth(value, site)
    if known is None and is_symbolic(value):
        site.report(pt661_runtime_condition.RULE.at(site.origin))
    return known


def contains(container: Value, item: Value, site: Operation) -> Value:
    """`item in container`."""
    if is_unknown(container) or site.interpreter.is_vague(container):
        return Unknown("container")
    for side, other, reflected in ((container, item, True), (item, container, False)):
        if isinstance(side, Abstract):
            try:
                return side.binary("in", other, reflected, site)
            except Unsupported:
                continue
    if isinstance(container, Abstract):
        try:
            container = list(container.iterate(site))
        except Unsupported as reason:
            return site.fail(TypeError(str(reason)))
    if is_concrete(container) and is_concrete(item):
        try:
            return item in container
        except Exception as error:
            return site.fail(error)
    if not isinstance(container, Iterable):
        return site.fail(TypeError(f"argument of type '{type(container).__name__}' is not iterable"))
    return _search(container, item, site)


def equal(left: Value, right: Value, site: Operation) -> Value:
    """`left == right` as True, False, a run-time condition or Unknown."""
    return True if left is right and not is_unknown(left) else binary("==", left, right, site)


def _search(container: Value, item: Value, site: Operation) -> Value:
    answer: Value = False
    for candidate in container:
        found = equal(item, candidate, site)
        if found is True:
            return True
        if found is not False:
            answer = Unknown("membership")
    return answer


def _identity(symbol: str, left: Value, right: Value, site: Operation) -> Value:
    if is_unknown(left) or is_unknown(right):
        return Unknown("operand")
    for side, other, reflected in ((left, right, False), (right, left, True)):
        if isinstance(side, Abstract):
            try:
                return side.binary(symbol, other, reflected, site)
            except Unsupported:
                continue
    same = left is right or (type(left) is type(right) and type(left) in (*_NUMBERS, str, bytes) and left == right)
    return same == (symbol == "is")


def _abstract_binary(symbol: str, left: Value, right: Value, site: Operation) -> Value:
    if left is right and symbol in ("==", "!=") and type(left).binary is Abstract.binary:
        return symbol == "=="
    reasons: list[str] = []
    for side, other, reflected in ((left, right, False), (right, left, True)):
        if isinstance(side, Abstract):
            try:
                return side.binary(symbol, other, reflected, site)
            except Unsupported as reason:
                reasons.append(str(reason))
    if is_unknown(left) or is_unknown(right):
        return Unknown("operand")
    if symbol in ("==", "!="):
        return (left is right or left == right) == (symbol == "==")
    return site.fail(TypeError(reasons[0]))


def _equality(symbol: str, left: Value, right: Value, site: Operation) -> Value:
    if is_concrete(left) and is_concrete(right):
        return NATIVE_OPERATORS[symbol](left, right)
    same = _same_structure(left, right, site)
    return Unknown("operand") if same is None else same == (symbol == "==")


def _same_structure(left: Value, right: Value, site: Operation) -> bool | None:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        if isinstance(left, list) != isinstance(right, list) or len(left) != len(right):
            return False
        pairs = list(zip(left, right, strict=False))
    elif isinstance(left, dict) and isinstance(right, dict):
        if any(is_unknown(key) for key in (*left, *right)):
            return None
        if left.keys() != right.keys():
            return False
        pairs = [(left[key], right[key]) for key in left]
    else:
        return bool(left == right)
    answers = [equal(a, b, site) for a, b in pairs]
    if any(answer is False for answer in answers):
        return False
    return True if all(answer is True for answer in answers) else None


def _native_binary(symbol: str, left: Value, right: Value, site: Operation) -> Value:
    if symbol == "%" and isinstance(left, (str, bytes)) and not is_concrete(right):
        return Unknown("text")
    if _is_too_large(symbol, left, right):
        return Unknown("large value")
    if site.interpreter.is_vague(left) or site.interpreter.is_vague(right):
        return Unknown("operand")
    try:
        return NATIVE_OPERATORS[symbol](left, right)
    except Exception as error:
        return site.fail(error)


def _is_too_large(symbol: str, left: Value, right: Value) -> bool:
    """Whether computing this would take unbounded time or memory."""
    if symbol == "*":
        for sequence, count in ((left, right), (right, left)):
            if isinstance(sequence, _SEQUENCES) and isinstance(count, int):
                return len(sequence) * count > LARGEST_SEQUENCE
        if isinstance(left, int) and isinstance(right, int):
            return left.bit_length() + right.bit_length() > _LARGEST_BITS
    if symbol == "**" and isinstance(left, int) and isinstance(right, int):
        return left.bit_length() * abs(right) > _LARGEST_BITS
    if symbol == "<<" and isinstance(left, int) and isinstance(right, int):
        return right > _LARGEST_BITS
    return symbol == "%" and isinstance(left, (str, bytes)) and len(left) > LARGEST_SEQUENCE
