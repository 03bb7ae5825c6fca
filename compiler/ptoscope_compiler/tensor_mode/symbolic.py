"""`pypto.SymbolicScalar`: whole numbers that only run time knows, with the operators the front end gives them.

Source: `python/src/bindings/symbolic_scalar.cpp` of hicann/pypto. `/` and `//` both divide whole numbers; `&`, `|` and
`~` are logical; `and`, `or`, `not` and the ternary have no run-time form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..diagnostics.rules import pt605_boolean_operator
from ..evaluate.values import Abstract, Arguments, Builtin, Unknown, Unsupported, Value, is_unknown
from ..scalar import Expression, Scalar, ScalarLike, Symbol, apply, known

if TYPE_CHECKING:
    from ..evaluate.site import Branch, Site

_BINARY: Mapping[str, str] = {
    "+": "add", "-": "sub", "*": "mul", "/": "floordiv", "//": "floordiv", "%": "mod",
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
    "&": "and", "|": "or", "and": "and", "or": "or",
}  # fmt: skip
_BOOLEAN = {"and": "&", "or": "|"}


def wrap(value: ScalarLike) -> Value:
    """A scalar as a value of the evaluated program: plain where it is known."""
    return SymbolicScalar(value) if isinstance(value, Scalar) else value


def unwrap(value: Value) -> ScalarLike | None:
    """The scalar that a value of the evaluated program stands for; None where it is not one."""
    if isinstance(value, SymbolicScalar):
        return value.scalar
    return value if isinstance(value, (bool, int, float)) else None


class SymbolicScalar(Abstract):
    """A whole number known at run time."""

    type_name = "SymbolicScalar"

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolicScalar) and other.scalar == self.scalar

    def __hash__(self) -> int:
        return hash(self.scalar)

    def describe(self) -> str:
        return f"SymbolicScalar {self.scalar}"

    def __str__(self) -> str:
        return str(self.scalar)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator in _BOOLEAN:
            site.report(pt605_boolean_operator.RULE.at(site.origin, operator=operator, instead=_BOOLEAN[operator]))
        if is_unknown(other):
            return Unknown("operand")
        right = unwrap(other)
        if operator not in _BINARY or right is None or isinstance(right, float):
            raise Unsupported(f"SymbolicScalar does not support '{operator}' with {_kind(other)}")
        operands = (right, self.scalar) if reflected else (self.scalar, right)
        if operator in ("/", "//", "%") and operands[1] == 0 and known(operands[1]):
            raise Unsupported("division or modulo by zero")
        return wrap(apply(_BINARY[operator], *operands))

    def unary(self, operator: str, site: Site) -> Value:
        if operator == "not":
            site.report(pt605_boolean_operator.RULE.at(site.origin, operator="not", instead="~"))
            return wrap(apply("not", self.scalar))
        if operator == "+":
            return self
        return wrap(apply("neg" if operator == "-" else "not", self.scalar))

    def truth(self, site: Site) -> bool | None:
        return None

    def trace_branch(self, branch: Branch, site: Site) -> bool:
        from .branches import trace_branch
        from .session import current_session

        return trace_branch(current_session(), branch, self.scalar, site)

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        if any(is_unknown(argument) for argument in arguments.positional):
            return Unknown("argument")
        if name in ("min", "max") and len(arguments.positional) == 2:
            return wrap(apply(name, _argument(arguments, 0), _argument(arguments, 1)))
        return super().builtin(name, arguments, site)

    def get_attribute(self, name: str, site: Site) -> Value:
        method = _METHODS.get(name)
        if method is None:
            return super().get_attribute(name, site)
        return _Method(self.scalar, name, method)


def _kind(value: Value) -> str:
    return value.type_name if isinstance(value, Abstract) else type(value).__name__


def _argument(arguments: Arguments, position: int) -> ScalarLike:
    value = unwrap(arguments.positional[position])
    if value is None:
        raise Unsupported("an argument is not a whole number")
    return value


_METHODS: Mapping[str, Callable[[Scalar, Arguments], Value]] = {
    "min": lambda scalar, arguments: wrap(apply("min", scalar, _argument(arguments, 0))),
    "max": lambda scalar, arguments: wrap(apply("max", scalar, _argument(arguments, 0))),
    "tenary": lambda scalar, arguments: wrap(apply("select", scalar, _argument(arguments, 0), _argument(arguments, 1))),
    "simplify": lambda scalar, arguments: wrap(scalar),
    "as_variable": lambda scalar, arguments: wrap(scalar),
    "is_concrete": lambda scalar, arguments: False,
    "is_immediate": lambda scalar, arguments: False,
    "is_symbol": lambda scalar, arguments: isinstance(scalar, Symbol),
    "is_expression": lambda scalar, arguments: isinstance(scalar, Expression),
    "concrete": lambda scalar, arguments: Unknown("not concrete"),
    "check": lambda scalar, arguments: Unknown("satisfiability"),
}


class _Method(Builtin):
    def __init__(self, scalar: Scalar, name: str, action: Callable[[Scalar, Arguments], Value]) -> None:
        super().__init__(f"SymbolicScalar.{name}")
        self._scalar = scalar
        self._action = action

    def call(self, arguments: Arguments, site: Site) -> Value:
        if any(is_unknown(argument) for argument in arguments.positional):
            return Unknown("argument")
        try:
            return self._action(self._scalar, arguments)
        except IndexError:
            raise Unsupported(f"{self.name}() takes more arguments") from None
