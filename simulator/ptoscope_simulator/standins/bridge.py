"""Values of the compiler as live Python objects: a user's module finds the same `pypto` that the compiler knows.

`Live(value)` forwards attribute access, calls, indexing and operators to the `Abstract` it stands for. What comes back
is made live again; plain Python values pass through unchanged.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from typing import Any, Union

from ptoscope_compiler.diagnostics.diagnostic import Diagnostic, Severity
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.site import Environment
from ptoscope_compiler.evaluate.values import Abstract, Arguments, Unsupported, is_unknown
from ptoscope_compiler.origin import Origin, Span

from .errors import Rejected


class HostSite:
    """The `Site` of an operation that the user's running Python performs: the line of the caller."""

    def __init__(self, environment: Environment) -> None:
        self.interpreter = Interpreter(environment, report=self.report)
        self.node: ast.AST = ast.Pass()
        frame = sys._getframe(2)
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("ptoscope_"):
            frame = frame.f_back
        line = frame.f_lineno
        self._origin = Origin(Span(frame.f_code.co_filename, line, 0, line, 0), frame.f_code.co_name)

    @property
    def origin(self) -> Origin:
        return self._origin

    def origin_of(self, node: ast.AST) -> Origin:
        return self._origin

    def argument_origin(self, key: int | str) -> Origin:
        return self._origin

    def report(self, diagnostic: Diagnostic) -> None:
        if diagnostic.severity is Severity.ERROR:
            raise Rejected([diagnostic])

    def call(self, function: Any, arguments: Arguments) -> Any:
        return self.interpreter.call(function, arguments, self)

    def fail(self, error: BaseException) -> Any:
        raise error


_environment: Callable[[], Environment] | None = None


def use_environment(make: Callable[[], Environment]) -> None:
    """Where host-side operations find names; called once, by the stand-ins."""
    global _environment
    _environment = make


def _site() -> Any:
    assert _environment is not None
    return HostSite(_environment())


class Live:
    """An `Abstract` value in the user's process."""

    __slots__ = ("_overrides", "value")

    def __init__(self, value: Abstract, overrides: dict[str, Any] | None = None) -> None:
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "_overrides", overrides or {})

    def __getattr__(self, name: str) -> Any:
        overrides: dict[str, Any] = object.__getattribute__(self, "_overrides")
        if name in overrides:
            return overrides[name]
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _forward(AttributeError, lambda site: self.value.get_attribute(name, site))

    def __setattr__(self, name: str, new: Any) -> None:
        _forward(AttributeError, lambda site: self.value.set_attribute(name, lower(new), site))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = Arguments(tuple(map(lower, args)), {name: lower(value) for name, value in kwargs.items()})
        return _forward(TypeError, lambda site: self.value.call(arguments, site))

    def __getitem__(self, key: Any) -> Any:
        return _forward(TypeError, lambda site: self.value.get_item(lower(key), site))

    def __iter__(self) -> Iterator[Any]:
        return iter([live(item) for item in _forward(TypeError, lambda site: list(self.value.iterate(site)))])

    def __bool__(self) -> bool:
        truth: bool | None = self.value.truth(_site())
        if truth is None:
            raise ValueError("Not concrete value.")
        return truth

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Live) and other.value is self.value:
            return True
        try:
            return bool(self._binary("==", other, False))
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return str(self.value.describe())

    def __or__(self, other: Any) -> Any:
        if other is None or isinstance(other, type):
            return Union[self, other]  # noqa: UP007 (`|` is this very method)
        return self._binary("|", other, False)

    def _binary(self, operator: str, other: Any, reflected: bool) -> Any:
        return _forward(TypeError, lambda site: self.value.binary(operator, lower(other), reflected, site))


def _forward(error: type[Exception], action: Callable[[Any], Any]) -> Any:
    try:
        return live(action(_site()))
    except Unsupported as reason:
        raise error(str(reason)) from None


def _operator(sign: str, reflected: bool = False) -> Callable[[Live, Any], Any]:
    return lambda self, other: self._binary(sign, other, reflected)


for _name, _sign in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
}.items():
    setattr(Live, f"__{_name}__", _operator(_sign))
    setattr(Live, f"__r{_name}__", _operator(_sign, reflected=True))
for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Live, f"__{_name}__", _operator(_sign))


def live(value: Any) -> Any:
    """A value of the compiler as the user's process sees it."""
    if isinstance(value, Abstract):
        return Live(value)
    if is_unknown(value):
        raise Rejected([], f"ptoscope does not know this value ({value.reason or 'not modelled'})")
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(map(live, value))
    return value


def lower(value: Any) -> Any:
    """A live object as a value of the compiler; containers are converted item by item."""
    if isinstance(value, Live):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(lower, value))
    if type(value) is dict:
        return {lower(key): lower(item) for key, item in value.items()}
    if type(value) is slice:
        return slice(lower(value.start), lower(value.stop), lower(value.step))
    return value
