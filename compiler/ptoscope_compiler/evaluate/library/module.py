"""A module that the evaluator supplies."""

from __future__ import annotations

from collections.abc import Mapping

from ..site import UNBOUND, Site
from ..values import Abstract, Unknown, Value


class LibraryModule(Abstract):
    """A module with the given members; what else it may have is Unknown."""

    type_name = "module"

    def __init__(self, name: str, members: Mapping[str, Value]) -> None:
        self.name = name
        self.members = dict(members)

    def get_attribute(self, name: str, site: Site) -> Value:
        value = self.members.get(name, UNBOUND)
        if value is not UNBOUND:
            return value
        found = site.interpreter.environment.find_module(f"{self.name}.{name}", site)
        return Unknown(f"{self.name}.{name}") if found is None else found

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        """Modules are shared between evaluations: a change by one of them is not seen."""

    def public_names(self) -> dict[str, Value]:
        """What `from module import *` binds."""
        return dict(self.members)

    def describe(self) -> str:
        return f"module {self.name}"
