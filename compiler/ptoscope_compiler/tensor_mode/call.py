"""A call of the API under evaluation: its arguments bound to the declared parameters, and how it reports."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from ..diagnostics.diagnostic import Edit, Fix, Rule
from ..diagnostics.rules import pt602_unknown_keyword, pt611_wrong_arguments
from ..dtype import DType
from ..evaluate.values import Arguments, Value, is_unknown
from ..ir.graph import LogicalTensor
from ..origin import Origin, Span
from ..scalar import ScalarLike
from . import api
from .element import Element
from .enums import EnumMember, member
from .errors import Rejected, Undecided
from .symbolic import unwrap

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .session import Session
    from .tensor import Tensor
    from .tracer import Tracer


def bind(signature: api.Signature, arguments: Arguments, site: Site) -> dict[str, Value]:
    """Arguments by parameter, without defaults; Rejected where they do not fit."""
    bound: dict[str, Value] = {}
    positional = [parameter.name for parameter in signature.parameters if parameter.kind == "positional"]
    variadic = next((parameter.name for parameter in signature.parameters if parameter.kind == "variadic"), None)
    given = arguments.positional
    bound.update(zip(positional, given, strict=False))
    if variadic is not None:
        bound[variadic] = tuple(given[len(positional) :])
    elif len(given) > len(positional):
        problem = f"takes {len(positional)} positional arguments, {len(given)} were given"
        _reject_arguments(signature, site, problem, f"最多接受 {len(positional)} 个位置参数，给了 {len(given)} 个")
    for name, value in dict(arguments.keywords).items():
        if name not in signature.keywords and not signature.takes_any_keyword:
            raise Rejected(_unknown_keyword(signature, name, site))
        if name in bound:
            _reject_arguments(signature, site, f"got '{name}' twice", f"参数 '{name}' 给了两次")
        bound[name] = value
    required = (p.name for p in signature.parameters if p.kind in ("positional", "keyword") and p.default is None)
    missing = [name for name in required if name not in bound]
    if missing:
        listed = ", ".join(f"'{name}'" for name in missing)
        _reject_arguments(signature, site, f"lacks {listed}", f"缺少参数 {listed}")
    return bound


def _reject_arguments(signature: api.Signature, site: Site, problem: str, problem_zh: str) -> NoReturn:
    rule = pt611_wrong_arguments.RULE
    call = signature.name
    raise Rejected(rule.at(site.origin, call=call, problem=problem, problem_zh=problem_zh, signature=str(signature)))


def _unknown_keyword(signature: api.Signature, name: str, site: Site) -> Any:
    guess = api.nearest_keyword(name, signature.keywords)
    origin = site.argument_origin(name)
    fixes: tuple[Fix, ...] = ()
    if isinstance(site.node, ast.Call):
        keyword = next((node for node in site.node.keywords if node.arg == name), None)
        if keyword is not None:
            whole = site.origin_of(keyword)
            start = whole.span
            end = start.column + len(name.encode())
            span = Span(start.file, start.line, start.column, start.line, end)
            origin = Origin(span, whole.function, whole.caller)
            if guess is not None:
                fixes = (Fix(f"Change to '{guess}'", f"改为 '{guess}'", (Edit(span, guess),)),)
    return pt602_unknown_keyword.RULE.at(
        origin,
        fixes=fixes,
        call=signature.name,
        keyword=name,
        suggestion=f" Did you mean '{guess}'?" if guess else "",
        suggestion_zh=f"是否想写 '{guess}'？" if guess else "",
        signature=str(signature),
    )


def default_value(text: str) -> Value:
    """The value that the text of a default stands for."""
    enumeration, _, name = text.partition(".")
    if enumeration in api.enumerations():
        return member(enumeration, name)
    return ast.literal_eval(text)


@dataclass(slots=True)
class Call:
    """A call of an operation. `arguments` holds every parameter with its default, `given` those that were written."""

    name: str
    session: Session
    tracer: Tracer
    site: Site
    arguments: Mapping[str, Value]
    given: frozenset[str]

    @property
    def origin(self) -> Origin:
        return self.site.origin

    @property
    def operation(self) -> str:
        """The name for messages: `sum`."""
        return self.name.rpartition(".")[2]

    def place(self, parameter: str) -> Origin:
        """Where the argument of a parameter is written; the call where it is not."""
        if parameter in self.given:
            origin = self.site.argument_origin(parameter)
            if origin != self.origin:
                return origin
            return self.site.argument_origin(list(self.arguments).index(parameter))
        return self.origin

    def reject(self, rule: Rule, origin: Origin | None = None, **arguments: Any) -> NoReturn:
        """End this call with a finding."""
        raise Rejected(rule.at(origin or self.origin, **arguments))

    def value(self, parameter: str) -> Value:
        """An argument; Undecided where it is not known."""
        value = self.arguments[parameter]
        if is_unknown(value):
            raise Undecided
        return value

    def tensor(self, parameter: str) -> Tensor:
        """An argument that must be a tensor."""
        from .tensor import Tensor

        value = self.value(parameter)
        if not isinstance(value, Tensor):
            self.wrong_type(parameter, "a Tensor", "Tensor")
        return value

    def read(self, parameter: str) -> LogicalTensor:
        """The storage of an argument that must be a tensor."""
        return self.tensor(parameter).read(self.site)

    def is_tensor(self, parameter: str) -> bool:
        from .tensor import Tensor

        return isinstance(self.value(parameter), Tensor)

    def integer(self, parameter: str) -> int:
        """An argument that must be a whole number known now."""
        value = self.value(parameter)
        if isinstance(value, bool) or not isinstance(value, int):
            self.wrong_type(parameter, "an int", "整数")
        return value

    def boolean(self, parameter: str) -> bool:
        value = self.value(parameter)
        if not isinstance(value, (bool, int)):
            self.wrong_type(parameter, "a bool", "布尔值")
        return bool(value)

    def number(self, parameter: str) -> int | float:
        """An argument that must be a number known now; an `Element` gives its value."""
        value = self.value(parameter)
        if isinstance(value, Element):
            value = value.value
        if not isinstance(value, (int, float)):
            self.wrong_type(parameter, "a number", "数")
        return value

    def dtype(self, parameter: str) -> DType:
        value = self.value(parameter)
        if not isinstance(value, EnumMember) or value.enumeration != "DataType":
            self.wrong_type(parameter, "a pypto.DataType", "pypto.DataType")
        if value.dtype is None:
            raise Undecided
        return value.dtype

    def enumerator(self, parameter: str) -> int:
        """The value of an argument that must be a member of an enumeration."""
        value = self.value(parameter)
        if not isinstance(value, EnumMember):
            self.wrong_type(parameter, "a member of an enumeration", "枚举成员")
        return value.value

    def integers(self, parameter: str) -> tuple[int, ...]:
        """An argument that must be a list of whole numbers known now."""
        values = self.scalars(parameter)
        for value in values:
            if not isinstance(value, int):
                self.wrong_type(parameter, "a list of int", "整数列表")
        return tuple(int(value) for value in values if isinstance(value, int))

    def scalars(self, parameter: str) -> tuple[ScalarLike, ...]:
        """An argument that must be a list of whole numbers, known now or at run time."""
        value = self.value(parameter)
        if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
            self.wrong_type(parameter, "a list of int or SymbolicScalar", "整数或 SymbolicScalar 的列表")
        result: list[ScalarLike] = []
        for item in value:
            if is_unknown(item):
                raise Undecided
            scalar = unwrap(item)
            if scalar is None or isinstance(scalar, float):
                self.wrong_type(parameter, "a list of int or SymbolicScalar", "整数或 SymbolicScalar 的列表")
            result.append(scalar)
        return tuple(result)

    def wrong_type(self, parameter: str, expected: str, expected_zh: str) -> NoReturn:
        """End this call: an argument has the wrong type."""
        got = describe(self.arguments[parameter])
        self.reject(
            pt611_wrong_arguments.RULE,
            self.place(parameter),
            call=self.name,
            problem=f"needs {expected} for '{parameter}', got {got}",
            problem_zh=f"的参数 '{parameter}' 需要 {expected_zh}，得到 {got}",
            signature=str(api.signature(self.name) or self.name),
        )


def describe(value: Value) -> str:
    """A value in a message."""
    from ..evaluate.values import Abstract

    return value.describe() if isinstance(value, Abstract) else f"{type(value).__name__} {value!r}"
