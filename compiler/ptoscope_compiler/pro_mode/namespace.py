"""Names that a module of the language has, with a finding for those that it does not have."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from ..diagnostics.rules import pt601_unknown_name, pt903_not_modelled
from ..evaluate.site import Site
from ..evaluate.values import Abstract, Unknown, Value
from .api import load
from .binding import suggestion
from .current import tracing_now
from .operation import Operation


class Namespace(Abstract):
    """`pl`, `pl.system`, `Vf`, ...: names with a finding for those that do not exist."""

    type_name = "module"

    def __init__(self, name: str, members: Mapping[str, Value]) -> None:
        self.name = name
        self.members = dict(members)

    def get_attribute(self, name: str, site: Site) -> Value:
        if name in self.members:
            return self.members[name]
        if not name.startswith("_"):
            english, chinese = suggestion(get_close_matches(name, self.members, 1))
            rule = pt601_unknown_name.RULE
            site.report(rule.at(site.origin, module=self.name, name=name, suggestion=english, suggestion_zh=chinese))
        return Unknown(f"{self.name}.{name}")

    def __getattr__(self, name: str) -> Value:
        members: Mapping[str, Value] = self.__dict__.get("members", {})
        if name not in members:
            raise AttributeError(f"{self.__dict__.get('name')} has no '{name}'")
        return members[name]

    def public_names(self) -> dict[str, Value]:
        """What `from module import *` binds."""
        return dict(self.members)

    def describe(self) -> str:
        return f"module {self.name}"


class Unmodelled(Abstract):
    """A part of the language that is known by name only: whatever is done with it is Unknown."""

    type_name = "unmodelled"

    def __init__(self, name: str) -> None:
        self.name = name

    def get_attribute(self, name: str, site: Site) -> Value:
        full = f"{self.name}.{name}"
        trace = tracing_now()
        if trace is None:
            return Unknown(full)
        site.report(pt903_not_modelled.RULE.at(site.origin, name=full))
        return trace.give_up(full)

    def __getattr__(self, name: str) -> Value:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unmodelled(f"{self.name}.{name}")

    def call(self, arguments: object, site: Site) -> Value:
        return Unknown(self.name)

    def __call__(self, *positional: object, **_: object) -> object:
        return positional[0] if positional and callable(positional[0]) else self

    def describe(self) -> str:
        return self.name


def operations(table: str, prefix: str) -> dict[str, Value]:
    return {name: Operation(entry, prefix) for name, entry in load(table).items()}


@cache
def vector_namespace() -> Namespace:
    """`pl.Vf`, known as `vf` in vector functions."""
    return Namespace("vf", operations("vector", "vf."))
