"""Live objects that are neither plain values nor functions with source: seen through their real attributes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..natives import is_concrete
from ..operation import Operation
from ..operators import NATIVE_OPERATORS
from ..site import UNBOUND, Site
from ..values import Abstract, Arguments, Builtin, Unknown, Unsupported, Value

if TYPE_CHECKING:
    from .environment import LiveEnvironment

_CONVERSIONS: dict[str, Callable[..., Any]] = {
    "len": len, "int": int, "float": float, "str": str, "repr": repr, "format": format, "abs": abs, "round": round,
    "__index__": operator.index, "hash": hash, "min": min, "max": max,
}  # fmt: skip


class LiveVariables(MutableMapping[str, Value]):
    """The globals of a live module, or the cells of a live closure. Writes stay with the evaluator."""

    def __init__(self, environment: LiveEnvironment, real: MutableMapping[str, Any]) -> None:
        self.environment = environment
        self.real = real
        self.written: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name in self.written:
            value = self.written[name]
            if value is UNBOUND:
                raise KeyError(name)
            return value
        return self.environment.wrap(self.real[name])

    def __setitem__(self, name: str, value: Value) -> None:
        self.written[name] = value

    def __delitem__(self, name: str) -> None:
        self[name]
        self.written[name] = UNBOUND

    def __iter__(self) -> Iterator[str]:
        return (name for name in {**self.real, **self.written} if self.written.get(name) is not UNBOUND)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class LiveObject(Abstract):
    """Any live object. What is asked of it with known arguments is asked of the real one."""

    truth_is_symbolic = False

    def __init__(self, environment: LiveEnvironment, real: Any) -> None:
        self.environment = environment
        self.real = real
        self.written: dict[str, Value] = {}

    @property
    def type_name(self) -> str:  # type: ignore[override]
        return type(self.real).__name__

    @property
    def native_types(self) -> tuple[type, ...]:
        return type(self.real).__mro__

    @property
    def user_class(self) -> Value:
        return self.environment.wrap(type(self.real))

    def get_attribute(self, name: str, site: Site) -> Value:
        if name in self.written:
            return self.written[name]
        try:
            return self.environment.wrap(getattr(self.real, name))
        except AttributeError as error:
            raise Unsupported(str(error)) from None
        except Exception:
            return Unknown(name)

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        site.interpreter.mutating(self.written)
        self.written[name] = value

    def call(self, arguments: Arguments, site: Site) -> Value:
        if not callable(self.real):
            return super().call(arguments, site)
        method = vars(type(self.real)).get("__call__")
        if self.environment.is_user_function(method):
            receiver = (self, *arguments.positional)
            return site.call(self.environment.wrap(method), Arguments(receiver, arguments.keywords))
        return self.environment.really_call(self.real, arguments, site)

    def get_item(self, key: Value, site: Site) -> Value:
        return self._apply(operator.getitem, (key,), site)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator == "in" and reflected:
            return self._apply(lambda real, item: item in real, (other,), site)
        function = NATIVE_OPERATORS.get(operator)
        if function is None:
            raise Unsupported(f"unsupported operand type(s) for {operator}: '{self.type_name}'")
        return self._apply((lambda real, left: function(left, real)) if reflected else function, (other,), site)

    def unary(self, operator: str, site: Site) -> Value:
        return Unknown(operator)

    def truth(self, site: Site) -> bool | None:
        try:
            return bool(self.real)
        except Exception:
            return None

    def iterate(self, site: Site) -> Iterable[Value]:
        try:
            return [self.environment.wrap(item) for item in self.real]
        except TypeError as error:
            raise Unsupported(str(error)) from None

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        function = _CONVERSIONS.get(name)
        return Unknown(name) if function is None else self.environment.really_call(function, arguments, site)

    def describe(self) -> str:
        return f"{self.type_name} object"

    def _apply(self, function: Callable[..., Any], values: tuple[Value, ...], site: Site) -> Value:
        return self.environment.really_call(function, Arguments((self, *values)), site)


class LiveModule(LiveObject):
    """A live module."""

    real: ModuleType

    def describe(self) -> str:
        return f"module {self.real.__name__}"


class LiveFunction(Builtin):
    """A library function: really called on known arguments; `inlined` is its source, for others."""

    def __init__(self, environment: LiveEnvironment, real: Callable[..., Any], inlined: Value = None) -> None:
        super().__init__(getattr(real, "__name__", "function"))
        self.environment = environment
        self.real = real
        self.inlined = inlined

    def get_attribute(self, name: str, site: Site) -> Value:
        return self.environment.wrap(getattr(self.real, name, Unknown(name)))

    def call(self, arguments: Arguments, site: Site) -> Value:
        values = (*arguments.positional, *dict(arguments.keywords).values())
        if self.inlined is not None and not all(map(self.environment.is_real, values)):
            return site.call(self.inlined, arguments)
        return self.environment.really_call(self.real, arguments, site)


class NotReal(Exception):
    """A value has no counterpart in the running process."""


def to_real(value: Value) -> Any:
    """The live object behind `value`; NotReal where there is none."""
    if isinstance(value, LiveObject) and not value.written:
        return value.real
    if isinstance(value, LiveFunction):
        return value.real
    if type(value) in (list, tuple, set):
        return type(value)(to_real(item) for item in value)
    if type(value) is dict:
        return {to_real(key): to_real(item) for key, item in value.items()}
    if type(value) is slice:
        return slice(to_real(value.start), to_real(value.stop), to_real(value.step))
    if hasattr(value, "real_class"):
        return value.real_class
    if hasattr(value, "is_changed") and not value.is_changed:
        return value.real
    if not is_concrete(value):
        raise NotReal
    return value


def call_really(environment: LiveEnvironment, function: Callable[..., Any], arguments: Arguments, site: Site) -> Value:
    """Call a live function on live arguments; Unknown where an argument is not one."""
    assert isinstance(site, Operation)
    try:
        positional = [to_real(value) for value in arguments.positional]
        keywords = {name: to_real(value) for name, value in dict(arguments.keywords).items()}
    except NotReal:
        return Unknown("argument")
    try:
        return environment.wrap(function(*positional, **keywords))
    except Exception as error:
        return site.fail(error)
