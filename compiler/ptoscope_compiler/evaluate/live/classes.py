"""Live classes as classes of the evaluated program, so that instances may hold abstract values."""

from __future__ import annotations

import ast
import dataclasses
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..classes import ClassMethod, Instance, Property, StaticMethod, UserClass
from ..library.dataclass import Field, GeneratedInit, Layout, layout_of
from ..scope import Module
from ..site import UNBOUND, Site
from ..values import Arguments, Value, is_unknown
from .objects import LiveVariables, to_real

if TYPE_CHECKING:
    from .environment import LiveEnvironment


class LiveClass(UserClass):
    """A class of the running process, its methods inlined from source."""

    def __init__(self, environment: LiveEnvironment, real: type, node: ast.ClassDef, module: Module) -> None:
        bases = [environment.wrap(base) for base in real.__bases__]
        attributes = {
            name: _attribute(environment, value) for name, value in vars(real).items() if _is_own(name, value)
        }
        super().__init__(real.__name__, node, bases, attributes, module, module.scope)
        self.environment = environment
        self.real_class = real
        if dataclasses.is_dataclass(real):
            self._lay_out(real)

    def has_instance(self, value: Value, site: Site) -> bool | None:
        if not is_unknown(value) and self.environment.is_real(value):
            return isinstance(to_real(value), self.real_class)
        return super().has_instance(value, site)

    def call(self, arguments: Arguments, site: Site) -> Value:
        values = (*arguments.positional, *dict(arguments.keywords).values())
        if self.is_open and all(map(self.environment.is_real, values)):
            return self.environment.really_call(self.real_class, arguments, site)
        return super().call(arguments, site)

    def _lay_out(self, real: Any) -> None:
        layout = Layout(frozen=real.__dataclass_params__.frozen, compared=real.__dataclass_params__.eq)
        for item in dataclasses.fields(real):
            default = UNBOUND if item.default is dataclasses.MISSING else self.environment.wrap(item.default)
            made = item.default_factory
            factory = UNBOUND if made is dataclasses.MISSING else self.environment.wrap(made)
            layout.fields[item.name] = Field(
                item.name, default, factory, item.init, bool(getattr(item, "kw_only", False)), item.compare is not False
            )
        self.attributes["__dataclass_fields__"] = layout
        initialise = vars(real).get("__init__")
        if initialise is not None and self.environment.function_source(initialise) is None:
            self.attributes["__init__"] = GeneratedInit(self, layout)


class LiveInstance(Instance):
    """A live object of a class with source: its attributes as they are, its own changes kept apart."""

    def __init__(self, environment: LiveEnvironment, real: Any, kind: LiveClass) -> None:
        super().__init__(kind)
        self.real = real
        self.environment = environment
        self.attributes = self.live_attributes = LiveVariables(environment, vars(real))
        layout = layout_of(kind)
        if layout is not None:
            self.is_frozen = layout.frozen
            if layout.compared:
                self.compared = layout.compared_names()

    @property
    def is_changed(self) -> bool:
        """Whether the evaluation changed an attribute, so that the real object does not stand for this one."""
        return bool(self.live_attributes.written)


def _is_own(name: str, value: Any) -> bool:
    if name in ("__dict__", "__weakref__", "__module__", "__doc__", "__annotations__", "__dataclass_params__"):
        return False
    if name.startswith("__") and not isinstance(value, FunctionType):
        return False
    # The methods that `dataclass` generates have no source in a file.
    return not (isinstance(value, FunctionType) and value.__code__.co_filename.startswith("<"))


def _attribute(environment: LiveEnvironment, value: Any) -> Value:
    if isinstance(value, staticmethod):
        return StaticMethod(environment.wrap(value.__func__))
    if isinstance(value, classmethod):
        return ClassMethod(environment.wrap(value.__func__))
    if isinstance(value, property):
        setter = None if value.fset is None else environment.wrap(value.fset)
        return Property(environment.wrap(value.fget), setter)
    return environment.wrap(value)
