"""Native values: which attributes they show, and how native callables are called without leaving what is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from .operation import Operation
from .site import UNBOUND, Site
from .values import Abstract, Arguments, Unknown, Unsupported, Value, is_unknown

LARGEST_SEQUENCE = 1_000_000
"""Items or characters of a sequence made by one operation; a longer one is Unknown."""

Handler = Callable[[Arguments, Operation], Value]
_H = TypeVar("_H", bound=Handler)
_FamilyHandler = Callable[[Any, Arguments, Operation], Value]
_F = TypeVar("_F", bound=_FamilyHandler)
_MethodHandler = Callable[[str, Any, Arguments, Operation], Value]
_M = TypeVar("_M", bound=_MethodHandler)

_ATOMS = frozenset({int, float, bool, str, bytes, complex, type(None), type(Ellipsis)})
_SIZING_METHODS = frozenset(
    {"ljust", "rjust", "center", "zfill", "expandtabs", "to_bytes", "factorial", "comb", "perm"}
)
_LARGE_WIDTH = re.compile(r"\d{6}")
_VISIBLE_DUNDERS = frozenset({"__name__", "__qualname__", "__doc__", "__module__"})

_handlers: dict[Any, Handler] = {}
_method_handlers: dict[tuple[type, str], _MethodHandler] = {}


def native(function: Callable[..., Any], least: int = 0, most: int | None = None) -> Callable[[_H], _H]:
    """Register how a native callable works on values that may be abstract or Unknown.

    `least` and `most` bound the number of positional arguments.
    """

    def register(handler: _H) -> _H:
        def checked(arguments: Arguments, site: Operation) -> Value:
            given = len(arguments.positional)
            if given < least or (most is not None and given > most):
                expected = f"at least {least}" if given < least else f"at most {most}"
                return site.fail(TypeError(f"{function.__name__} expected {expected} arguments, got {given}"))
            return handler(arguments, site)

        _handlers[function] = checked
        return handler

    return register


def native_family(*functions: Callable[..., Any], least: int = 0, most: int | None = None) -> Callable[[_F], _F]:
    """The same for callables that work alike; the handler gets the callable first."""

    def register(handler: _F) -> _F:
        for function in functions:
            native(function, least, most)(partial(handler, function))
        return handler

    return register


def is_registered(function: Any) -> bool:
    """Whether `function` has a handler."""
    return function in _handlers


def native_method(kind: type, *names: str) -> Callable[[_M], _M]:
    """The same for methods of a native container; the handler gets the method's name and the container first."""

    def register(handler: _M) -> _M:
        _method_handlers.update(dict.fromkeys([(kind, name) for name in names], handler))
        return handler

    return register


def is_concrete(value: Value) -> bool:
    """Whether `value` and everything in it is native and known."""
    kind = type(value)
    if kind in _ATOMS:
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(is_concrete, value))
    if isinstance(value, dict):
        return all(map(is_concrete, value)) and all(map(is_concrete, value.values()))
    if isinstance(value, slice):
        return is_concrete((value.start, value.stop, value.step))
    return not (isinstance(value, (Abstract, Iterator)) or is_unknown(value))


def native_attribute(value: Value, name: str, site: Operation) -> Value:
    """An attribute of a native value; Unsupported where there is none."""
    owner = getattr(type(value), "user_class", None)
    if owner is not None and owner.find(name) is not UNBOUND:
        return owner.bound(name, value, site)
    if name == "__class__":
        return type(value)
    if name.startswith("__") and name not in _VISIBLE_DUNDERS:
        if hasattr(value, name):
            return Unknown(name)
    elif hasattr(value, name):
        return getattr(value, name)
    kind = f"type object '{value.__name__}'" if isinstance(value, type) else f"'{type(value).__name__}' object"
    raise Unsupported(f"{kind} has no attribute '{name}'")


def call_native(function: Any, arguments: Arguments, site: Site) -> Value:
    """Call a native callable that is safe to run; Unknown where an argument is not known."""
    assert isinstance(site, Operation)
    handler = _handlers.get(function)
    if handler is not None:
        return handler(arguments, site)
    receiver = getattr(function, "__self__", None)
    if receiver is not None and not isinstance(function, type):
        method = _method_handlers.get((_container_kind(receiver), function.__name__))
        if method is not None:
            if site.interpreter.is_vague(receiver):
                return Unknown("container")
            return method(function.__name__, receiver, arguments, site)
    if isinstance(function, type) and (issubclass(function, BaseException) or hasattr(function, "_fields")):
        return _construct(function, arguments, site)
    return call_concrete(function, arguments, site)


def _construct(kind: type, arguments: Arguments, site: Operation) -> Value:
    try:
        return kind(*arguments.positional, **dict(arguments.keywords))
    except TypeError as error:
        return site.fail(error)


def call_concrete(function: Any, arguments: Arguments, site: Operation) -> Value:
    """Really call `function`, where every argument is known; ask an abstract argument otherwise."""
    values = (*arguments.positional, *dict(arguments.keywords).values())
    if not all(map(is_concrete, values)) or any(map(site.interpreter.is_vague, values)):
        return _ask_argument(getattr(function, "__name__", ""), arguments, site, lenient=True)
    if _is_excessive(function, values):
        return Unknown("large value")
    try:
        return function(*arguments.positional, **dict(arguments.keywords))
    except Exception as error:
        return site.fail(error)


def ask_abstract(name: str, arguments: Arguments, site: Operation) -> Value:
    """The answer of the first abstract argument to a call of builtin `name`; Unknown where there is none."""
    return _ask_argument(name, arguments, site, lenient=False)


def _ask_argument(name: str, arguments: Arguments, site: Operation, lenient: bool) -> Value:
    asked = next((value for value in arguments.positional if isinstance(value, Abstract)), None)
    if asked is None:
        return Unknown(name)
    try:
        return asked.builtin(name, arguments, site)
    except Unsupported as reason:
        return Unknown(name) if lenient else site.fail(TypeError(str(reason)))


def _container_kind(value: Any) -> type:
    return next((kind for kind in (list, dict, set, str) if isinstance(value, kind)), type(value))


def _is_excessive(function: Any, values: tuple[Any, ...]) -> bool:
    name = getattr(function, "__name__", "")
    if name in _SIZING_METHODS or function in (bytes, bytearray):
        return any(isinstance(value, int) and abs(value) > 10_000 for value in values)
    if name in ("format", "__format__"):
        texts = (getattr(function, "__self__", None), *values)
        return any(isinstance(text, str) and _LARGE_WIDTH.search(text) for text in texts)
    return any(isinstance(value, range) and len(value) > LARGEST_SEQUENCE for value in values)
