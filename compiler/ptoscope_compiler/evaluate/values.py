"""Values of the partial evaluator.

Numbers, strings, tuples, lists, dicts, sets, None and functions of the standard library are themselves. Everything
else is an `Abstract`: tensors, tiles, run-time scalars, modules, user functions, classes and instances. What cannot be
known is `Unknown`, which spreads and is never an error by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .site import Branch, ForLoop, Site, WhileLoop, WithBlock

Value = Any


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of a call after unpacking `*` and `**`."""

    positional: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = ()  # type: ignore[assignment]


class Unsupported(Exception):
    """An `Abstract` does not have this operation; the interpreter reports it where Python would raise a TypeError."""


class Abstract:
    """A value that Python does not have. Each hook gets the `Site` of the operation, for its origin and for reports.

    A hook raises `Unsupported(reason)` where the value does not have the operation.
    """

    type_name = "object"
    truth_is_symbolic = True
    """Whether a `truth` of None means "at run time"; otherwise it is as if the condition were Unknown."""

    def get_attribute(self, name: str, site: Site) -> Value:
        raise Unsupported(f"{self.type_name} has no attribute '{name}'")

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        raise Unsupported(f"{self.type_name} has no attribute '{name}'")

    def call(self, arguments: Arguments, site: Site) -> Value:
        raise Unsupported(f"{self.type_name} is not callable")

    def get_item(self, key: Value, site: Site) -> Value:
        """`key` is a value, a `slice` of values, Ellipsis, or a tuple of these."""
        raise Unsupported(f"{self.type_name} cannot be indexed")

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        raise Unsupported(f"elements of {self.type_name} cannot be assigned")

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        """`operator` as written: "+", "@", "==", "is", "in", ...; `reflected` where `other` stands on the left.

        "and" and "or" come here too, on a value whose truth only run time knows: `a and b`, `a < b < c`. `other` may be
        Unknown.
        """
        raise Unsupported(f"{self.type_name} does not support '{operator}'")

    def unary(self, operator: str, site: Site) -> Value:
        """`operator` is "-", "+", "~" or "not"."""
        raise Unsupported(f"{self.type_name} does not support unary '{operator}'")

    def truth(self, site: Site) -> bool | None:
        """Truth in a condition; None where only run time knows: the interpreter then asks `branch`."""
        return True

    def iterate(self, site: Site) -> Iterable[Value]:
        """The items, where the loop unrolls."""
        raise Unsupported(f"{self.type_name} is not iterable")

    def trace_loop(self, loop: ForLoop, site: Site) -> bool:
        """Take over a `for` statement over this value; False to let the interpreter unroll it with `iterate`."""
        return False

    def trace_branch(self, branch: Branch, site: Site) -> bool:
        """Take over an `if` statement on this value, whose `truth` is None; False where that is not supported."""
        return False

    def trace_while(self, loop: WhileLoop, site: Site) -> bool:
        """Take over a `while` on this value, whose `truth` is None; False where that is not supported."""
        return False

    def trace_with(self, block: WithBlock, site: Site) -> bool:
        """Take over `with` on this value, running its body or not; False to let the interpreter just run the body."""
        return False

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        """A call of Python's own `len`, `int`, `float`, `abs`, `min`, `max`, `sum`, `round`, ... on this value."""
        raise Unsupported(f"{self.type_name} cannot be an argument of {name}()")

    def select_from(self, items: Sequence[Value], site: Site) -> Value:
        """`items[self]`, where run time decides; NotImplemented to be asked for `__index__` instead."""
        return NotImplemented

    def has_instance(self, value: Value, site: Site) -> bool | None:
        """`isinstance(value, self)`, where this value stands for a class; None where that is not known."""
        return None

    def describe(self) -> str:
        """One line for hovers and messages."""
        return self.type_name


@dataclass(frozen=True, slots=True)
class _Unknown:
    reason: str = ""

    def __repr__(self) -> str:
        return f"Unknown({self.reason})" if self.reason else "Unknown"


Unknown = _Unknown


def is_unknown(value: Value) -> bool:
    return isinstance(value, _Unknown)


class Builtin(Abstract):
    """A function of an API table, or of the evaluator, implemented by `self.call`."""

    type_name = "function"

    def __init__(self, name: str) -> None:
        self.name = name

    def describe(self) -> str:
        return self.name
