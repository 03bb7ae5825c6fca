"""Errors of the evaluated program, and the ends of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Diagnostic, Rule
from ..diagnostics.rules import (
    pt650_undefined_name,
    pt651_wrong_arguments,
    pt652_unpack_count,
    pt653_missing_element,
    pt654_missing_attribute,
    pt655_unsupported_operation,
    pt656_division_by_zero,
    pt657_wrong_value,
    pt658_raised,
)
from ..origin import Origin
from .values import Value, is_unknown

if TYPE_CHECKING:
    from .classes import Instance


class Raised(Exception):
    """The evaluated program raised `value`: a native exception, an instance of a user's class, or Unknown."""

    def __init__(self, value: Value, origin: Origin) -> None:
        super().__init__(value)
        self.value = value
        self.origin = origin

    def diagnostic(self) -> Diagnostic:
        """The finding that nobody caught this."""
        return pt658_raised.RULE.at(self.origin, exception=exception_name(self.value), message=message_of(self.value))


class BudgetExceeded(Exception):
    """The evaluation took more steps than it may."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(str(origin))
        self.origin = origin


class WrongArguments(TypeError):
    """A call does not fit the signature."""


class WrongUnpackCount(ValueError):
    """A sequence does not have as many items as there are targets."""


def as_python(error: BaseException) -> BaseException:
    """`error` as the program sees it when it catches it."""
    if isinstance(error, WrongArguments):
        return TypeError(*error.args)
    return ValueError(*error.args) if isinstance(error, WrongUnpackCount) else error


_RULES: tuple[tuple[type[BaseException], Rule], ...] = (
    (WrongArguments, pt651_wrong_arguments.RULE),
    (WrongUnpackCount, pt652_unpack_count.RULE),
    (NameError, pt650_undefined_name.RULE),
    (LookupError, pt653_missing_element.RULE),
    (AttributeError, pt654_missing_attribute.RULE),
    (TypeError, pt655_unsupported_operation.RULE),
    (ZeroDivisionError, pt656_division_by_zero.RULE),
)


def rule_of(error: BaseException) -> Rule:
    """The rule under which a Python error is reported."""
    return next((rule for kind, rule in _RULES if isinstance(error, kind)), pt657_wrong_value.RULE)


def message_of(error: Value) -> str:
    """The text of an exception value, on one line."""
    if is_unknown(error):
        return ""
    if isinstance(error, KeyError):
        return f"key {error.args[0]!r} is missing" if error.args else "key is missing"
    if isinstance(error, BaseException):
        text = str(error)
    else:
        instance: Instance = error
        text = ", ".join(str(argument) for argument in instance.attributes.get("args", ()))
    return text.strip().replace("\n", " ")


def exception_name(error: Value) -> str:
    """The class of an exception value."""
    if is_unknown(error):
        return "an exception"
    return type(error).__name__ if isinstance(error, BaseException) else error.type_name
