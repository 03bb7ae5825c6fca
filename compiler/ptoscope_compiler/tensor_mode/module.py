"""The module object `pypto`: its names, each proven to exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics.rules import pt601_unknown_name
from ..evaluate.values import Abstract, Unknown, Value
from . import api, config_functions
from .annotations import TensorClass
from .enums import Enumeration, exported
from .functions import FUNCTIONS, ApiFunction, ElementClass, SymbolicScalarClass
from .kernel import Jit
from .session import Session

if TYPE_CHECKING:
    from ..evaluate.site import Site

_CLASSES = {
    "Tensor": TensorClass,
    "tensor": TensorClass,
    "Element": ElementClass,
    "element": ElementClass,
    "SymbolicScalar": SymbolicScalarClass,
    "symbolic_scalar": SymbolicScalarClass,
}


class Module(Abstract):
    """`pypto` or one of its submodules."""

    type_name = "module"

    def __init__(self, name: str, session: Session) -> None:
        self.name = name
        self.session = session
        self._members: dict[str, Value] = {}

    def describe(self) -> str:
        return f"module {self.name}"

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        self._members[name] = value

    def get_attribute(self, name: str, site: Site) -> Value:
        if name not in self._members:
            self._members[name] = self._find(name, site)
        return self._members[name]

    def _find(self, name: str, site: Site) -> Value:
        qualified = f"{self.name}.{name}"
        if qualified in api.modules():
            return Module(qualified, self.session)
        if name not in api.names(self.name):
            return self._unknown(name, site)
        if name in _CLASSES:
            return _CLASSES[name](self.session)
        if name == "jit":
            return Jit(self.session)
        if name in api.enumerations() and self.name == "pypto":
            return Enumeration(name)
        member = exported(name) if self.name == "pypto" else None
        if member is not None:
            return member
        if qualified in FUNCTIONS or qualified in config_functions.FUNCTIONS or api.signature(qualified) is not None:
            return ApiFunction(qualified, self.session)
        return Unknown(qualified)

    def _unknown(self, name: str, site: Site) -> Value:
        if name.startswith("_"):
            return Unknown(f"{self.name}.{name}")
        guess = api.nearest(name, api.names(self.name))
        site.report(
            pt601_unknown_name.RULE.at(
                site.origin,
                module=self.name,
                name=name,
                suggestion=f" Did you mean '{guess}'?" if guess else "",
                suggestion_zh=f"是否想写 '{guess}'？" if guess else "",
            )
        )
        if self.session.tracer is not None:
            self.session.tracer.give_up(site.origin)
        return Unknown(f"{self.name}.{name}")


def make_module(session: Session | None = None) -> Module:
    """A `pypto` with a session of its own."""
    return Module("pypto", session or Session())
