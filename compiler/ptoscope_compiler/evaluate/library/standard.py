"""Modules of the standard library whose functions work on plain values."""

from __future__ import annotations

import abc
import cmath
import collections
import enum
import functools
import itertools
import math
import operator
import posixpath
import string
import typing
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..builtin_functions import one, operator_function
from ..functions import Partial, UserFunction
from ..iteration import items_of
from ..natives import native, native_family
from ..operation import Operation
from ..site import Site
from ..values import Arguments, Builtin, Unknown, Value
from .module import LibraryModule

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
    "gt": ">", "ge": ">=", "is_": "is", "is_not": "is not",
}  # fmt: skip
for _name, _symbol in _OPERATORS.items():
    native(getattr(operator, _name), 2, 2)(operator_function(_symbol))


class Quiet(Builtin):
    """A function without a result that matters: logging, seeding, setting up."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        return None


class PassThrough(Builtin):
    """A decorator that leaves what it decorates as it is, with or without arguments of its own."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        if len(arguments.positional) == 1 and not arguments.keywords and _is_function(arguments.positional[0]):
            return arguments.positional[0]
        return PassThrough(self.name)


def _is_function(value: Value) -> bool:
    """Whether it is a function or class of the program, or stands for one that a decorator has wrapped."""
    return hasattr(value, "node") or hasattr(value, "function")


@native(functools.partial, 1)
def _partial(arguments: Arguments, site: Operation) -> Value:
    return Partial(arguments.positional[0], Arguments(arguments.positional[1:], dict(arguments.keywords)))


@native(functools.reduce, 2, 3)
def _reduce(arguments: Arguments, site: Operation) -> Value:
    function, source, *start = arguments.positional
    items = items_of(source, site)
    if items is None:
        return Unknown("reduce")
    items = [*start, *items]
    if not items:
        return site.fail(TypeError("reduce() of empty iterable with no initial value"))
    total = items[0]
    for item in items[1:]:
        total = site.call(function, Arguments((total, item)))
    return total


@native(itertools.starmap, 2, 2)
def _starmap(arguments: Arguments, site: Operation) -> Value:
    rows = items_of(arguments.positional[1], site)
    if rows is None:
        return Unknown("starmap")
    unpacked = [items_of(row, site) for row in rows]
    if any(row is None for row in unpacked):
        return Unknown("starmap")
    return iter([site.call(one(arguments), Arguments(tuple(row or ()))) for row in unpacked])


@native_family(itertools.chain, itertools.product, itertools.zip_longest, itertools.cycle)
def _combine(function: Callable[..., Any], arguments: Arguments, site: Operation) -> Value:
    columns = [items_of(source, site) for source in arguments.positional]
    if any(column is None for column in columns):
        return Unknown(function.__name__)
    return function(*columns, **dict(arguments.keywords))


@native_family(itertools.permutations, itertools.combinations, itertools.islice, itertools.accumulate)
def _select(function: Callable[..., Any], arguments: Arguments, site: Operation) -> Value:
    source = arguments.positional[0] if arguments.positional else Unknown()
    values = (source, *arguments.positional[1:])
    if any(isinstance(value, Unknown) for value in values) or not hasattr(source, "__iter__"):
        return Unknown(function.__name__)
    if function is itertools.accumulate and len(values) > 1:
        return Unknown("accumulate")
    return function(*values, **dict(arguments.keywords))


def _public(module: ModuleType) -> dict[str, Value]:
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}


_PATH_FUNCTIONS = ("basename", "dirname", "join", "split", "splitext", "normpath", "isabs", "commonprefix")
_TYPING = {"NamedTuple": typing.NamedTuple, "TYPE_CHECKING": False, "cast": None, "Any": object}


class _Cast(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        return arguments.positional[1] if len(arguments.positional) == 2 else Unknown("cast")


def _decorators(*names: str) -> dict[str, Value]:
    return {name: PassThrough(name) for name in names}


def _functions(module: Any, *names: str) -> dict[str, Value]:
    return {name: getattr(module, name) for name in names}


class _Wraps(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        return _Wrapper(one(arguments))


class _Wrapper(Builtin):
    """`functools.wraps(function)`."""

    def __init__(self, wrapped: Value) -> None:
        super().__init__("wraps")
        self.wrapped = wrapped

    def call(self, arguments: Arguments, site: Site) -> Value:
        function = one(arguments)
        if isinstance(function, UserFunction):
            function.wrapped = self.wrapped
        return function


_LOGGERS = ("debug", "info", "warning", "error", "critical", "exception", "basicConfig", "log")
_LOGGER = LibraryModule("logging.Logger", {name: Quiet(name) for name in (*_LOGGERS, "setLevel", "addHandler")})


class _GetLogger(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        return _LOGGER


MODULES: dict[str, LibraryModule] = {
    name: LibraryModule(name, members)
    for name, members in {
        "math": _public(math),
        "cmath": _public(cmath),
        "operator": _functions(operator, *_OPERATORS, "itemgetter", "neg", "not_"),
        "itertools": _functions(
            itertools, "chain", "product", "zip_longest", "cycle", "permutations", "combinations", "islice",
            "accumulate", "count", "repeat", "starmap",
        ),
        "functools": {
            **_functions(functools, "partial", "reduce"),
            **_decorators("lru_cache", "cache", "singledispatch", "total_ordering"),
            "cached_property": property,
            "wraps": _Wraps("wraps"),
        },
        "collections": _functions(collections, "OrderedDict", "namedtuple"),
        "enum": {**_functions(enum, "Enum", "IntEnum", "Flag", "IntFlag", "auto"), **_decorators("unique")},
        "abc": {**_functions(abc, "ABC", "ABCMeta"), **_decorators("abstractmethod")},
        "typing": {**_TYPING, **_decorators("overload", "final", "runtime_checkable"), "cast": _Cast("cast")},
        "string": _public(string),
        "logging": {
            **{name: Quiet(name) for name in _LOGGERS},
            "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50,
            "getLogger": _GetLogger("getLogger"),
        },
        "warnings": {name: Quiet(name) for name in ("warn", "filterwarnings", "simplefilter")},
        "os.path": _functions(posixpath, *_PATH_FUNCTIONS),
        "random": {"seed": Quiet("seed")},
        "numbers": {"Number": (int, float, complex), "Integral": int, "Real": (int, float)},
    }.items()
}  # fmt: skip
