"""Names from a running process: the real globals, closures and defaults of the function that is being called."""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import numbers
import sys
import sysconfig
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from ..builtin_functions import BUILTINS
from ..functions import BoundMethod, Partial, UserFunction
from ..library import standard
from ..library.dataclass import MODULE as DATACLASSES
from ..names import Code
from ..natives import is_registered
from ..scope import Module, Scope
from ..site import Site
from ..values import Abstract, Arguments, Unknown, Value, is_unknown
from .classes import LiveClass, LiveInstance
from .objects import LiveFunction, LiveModule, LiveObject, LiveVariables, NotReal, call_really, to_real
from .source import class_node, file_of, function_node

Converter = Callable[[Any], Value]

_ATOMS = (int, float, bool, str, bytes, complex, type(None), type(Ellipsis), range, slice)
_LIBRARY: Mapping[str, Any] = {**standard.MODULES, "dataclasses": DATACLASSES}
_STANDARD_FOLDERS = tuple(
    folder for name in ("stdlib", "platstdlib", "purelib", "platlib") if (folder := sysconfig.get_paths().get(name))
)
_PURE_MODULES = frozenset({"math", "cmath", "_operator", "itertools", "_functools", "builtins"})


class LiveEnvironment:
    """Wraps objects of the running process as values.

    Plain values stand for themselves; lists, dicts and sets are copied, so that an evaluation changes nothing of the
    user's. `modules` are the module objects that the modes supply, by the name of the live module that they replace.
    """

    def __init__(self, modules: Mapping[str, Value] | None = None) -> None:
        self.modules = dict(modules or {})
        self._objects: dict[int, tuple[Any, Value]] = {}
        self._types: dict[type, Converter] = {}
        self._live_modules: dict[str, Module] = {}
        for name, module in _LIBRARY.items():
            self._register_members(name, module.members)

    def register_type(self, kind: type, converter: Converter) -> None:
        """Instances of `kind` and its subclasses become what `converter` makes of them."""
        self._types[kind] = converter

    def register_object(self, real: Any, value: Value) -> None:
        """This very object (a function, a class, an enum member of a stand-in module) becomes `value`."""
        self._objects[id(real)] = (real, value)

    def import_module(self, name: str, site: Site) -> Value:
        found = self.find_module(name, site)
        return Unknown(f"module {name}") if found is None else found

    def find_module(self, name: str, site: Site) -> Value | None:
        if name in self.modules:
            return self.modules[name]
        real = sys.modules.get(name)
        return None if real is None else self.wrap(real)

    def function(self, real: Callable[..., Any]) -> UserFunction | None:
        """The function as one that can be inlined; None where its source is not to be had."""
        return self._inlined(real) if isinstance(real, FunctionType) else None

    def wrap(self, value: Any) -> Value:
        if type(value) in _ATOMS or isinstance(value, Abstract) or is_unknown(value):
            return value
        known = self._objects.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        wrapped = self._wrapped(value)
        self._objects[id(value)] = (value, wrapped)
        return wrapped

    def is_real(self, value: Value) -> bool:
        """Whether `value` has a counterpart in the running process."""
        try:
            to_real(value)
        except NotReal:
            return False
        return True

    def is_user_function(self, real: Any) -> bool:
        """Whether `real` is a function whose source can be inlined."""
        return isinstance(real, FunctionType) and self.function_source(real) is not None

    def function_source(self, real: Any) -> Any:
        """The syntax of a live function, None where there is none."""
        return function_node(real) if isinstance(real, FunctionType) else None

    def really_call(self, function: Callable[..., Any], arguments: Arguments, site: Site) -> Value:
        """Call a live function on live arguments; Unknown where an argument is not one."""
        return call_really(self, function, arguments, site)

    def _register_members(self, name: str, members: Mapping[str, Value]) -> None:
        real = importlib.import_module(name)
        for member, value in members.items():
            live = getattr(real, member, None)
            if isinstance(value, Abstract) and live is not None:
                self.register_object(live, value)

    def _wrapped(self, value: Any) -> Value:
        converter = next((self._types[kind] for kind in type(value).__mro__ if kind in self._types), None)
        if converter is not None:
            return converter(value)
        if isinstance(value, (list, tuple, dict, set, frozenset)):
            return self._container(value)
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, MethodType):
            return BoundMethod(self.wrap(value.__func__), self.wrap(value.__self__))
        if isinstance(value, functools.partial):
            keywords = {name: self.wrap(item) for name, item in value.keywords.items()}
            return Partial(self.wrap(value.func), Arguments(tuple(map(self.wrap, value.args)), keywords))
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, BuiltinFunctionType):
            return self._builtin(value)
        if isinstance(value, (enum.Enum, BaseException, numbers.Number)):
            return value
        kind = self.wrap(type(value))
        if isinstance(kind, LiveClass) and not kind.is_open and hasattr(value, "__dict__"):
            return LiveInstance(self, value, kind)
        return LiveObject(self, value)

    def _container(self, value: Any) -> Value:
        if isinstance(value, dict):
            return {key: self.wrap(item) for key, item in value.items()}
        items = [self.wrap(item) for item in value]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*items)
        kind = next(kind for kind in (list, tuple, set, frozenset) if isinstance(value, kind))
        return kind(items)

    def _module(self, value: ModuleType) -> Value:
        found = self.modules.get(value.__name__, _LIBRARY.get(value.__name__))
        return LiveModule(self, value) if found is None else found

    def _class(self, value: type) -> Value:
        if issubclass(value, (enum.Enum, tuple, BaseException)) or value.__module__ in ("builtins", "typing", "abc"):
            return value
        node = None if _is_library(sys.modules.get(value.__module__)) else class_node(value)
        if node is None:
            return LiveObject(self, value)
        module = sys.modules.get(value.__module__)
        variables = vars(module) if module is not None else {}
        file = getattr(module, "__file__", None) or ""
        return LiveClass(self, value, node, self._module_of(value.__module__, file, variables))

    def _builtin(self, value: BuiltinFunctionType) -> Value:
        if is_registered(value):
            return value
        if value.__name__ in BUILTINS and value.__module__ == "builtins":
            return BUILTINS[value.__name__]
        return value if value.__module__ in _PURE_MODULES and value.__self__ is not None else LiveFunction(self, value)

    def _function(self, value: FunctionType) -> Value:
        inlined = self._inlined(value)
        if inlined is None or _is_in_library(file_of(value)):
            return LiveFunction(self, value, inlined)
        return inlined

    def _inlined(self, value: FunctionType) -> UserFunction | None:
        node = function_node(value)
        if node is None:
            return None
        name = str(value.__globals__.get("__name__", ""))
        module = self._module_of(name, file_of(value), value.__globals__)
        cells = _cells(value)
        scope = module.scope
        if cells:
            scope = Scope(scope, Code(frozenset(cells)), LiveVariables(self, cells))
        function = UserFunction(value.__name__, node, module, scope)
        self.register_object(value, function)
        function.defaults = tuple(map(self.wrap, value.__defaults__ or ()))
        function.keyword_defaults = {key: self.wrap(item) for key, item in (value.__kwdefaults__ or {}).items()}
        if hasattr(value, "__wrapped__"):
            function.wrapped = self.wrap(value.__wrapped__)
        annotations = inspect.get_annotations(value)
        function.evaluated_annotations = {key: self.wrap(item) for key, item in annotations.items() if key != "return"}
        return function

    def _module_of(self, name: str, file: str, variables: dict[str, Any]) -> Module:
        key = f"{name}:{id(variables)}"
        if key not in self._live_modules:
            self._live_modules[key] = Module(name, file, LiveVariables(self, variables))
        return self._live_modules[key]


def _cells(function: FunctionType) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _is_in_library(file: str) -> bool:
    return file.startswith(_STANDARD_FOLDERS) or file.startswith("<frozen")


def _is_library(module: ModuleType | None) -> bool:
    file = getattr(module, "__file__", None)
    return file is None or _is_in_library(file)
