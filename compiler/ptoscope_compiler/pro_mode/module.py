"""The module `pypto_pro.language` as the evaluator sees it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from ..diagnostics.rules import pt601_unknown_name
from ..evaluate.library.module import LibraryModule
from ..evaluate.site import Site
from ..evaluate.values import Abstract, Unknown, Value
from . import ops
from .api import load
from .binding import suggestion
from .declarations import ANNOTATIONS, DYNAMIC, ELEMENT_TYPES, ENUMERATIONS, STATIC, Function, tile_type
from .kernel import Decorator, PipelineDecorator, VectorFunctionDecorator
from .operation import Operation

_LAYOUTS = ("ND", "DN", "NZ", "ZN", "NN", "ZZ")
_HIDDEN = ("CmpMode",)


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
        return Unknown(f"{self.name}.{name}")

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


def _operations(table: str, prefix: str) -> dict[str, Value]:
    return {name: Operation(entry, prefix) for name, entry in load(table).items()}


@cache
def language() -> Namespace:
    """`pypto_pro.language`."""
    assert ops.__all__
    system = _operations("system", "pl.system.")
    members: dict[str, Value] = {
        **_operations("operations", "pl."),
        **{name: value for name, value in ENUMERATIONS.items() if name not in _HIDDEN},
        **ELEMENT_TYPES,
        **ANNOTATIONS,
        **{name: ENUMERATIONS["TensorLayout"].members[name] for name in _LAYOUTS},
        "DYNAMIC": DYNAMIC,
        "STATIC": STATIC,
        "TileType": Function("TileType", tile_type),
        "system": Namespace("pl.system", system),
        "mutex": Namespace("pl.mutex", {name: system[name] for name in ("mutex_lock", "mutex_unlock")}),
        "Vf": Namespace("vf", _operations("vector", "vf.")),
        "jit": Decorator("jit", "pro"),
        "kernel": Decorator("kernel", "pro"),
        "vector_function": VectorFunctionDecorator(),
        "pipeline": Namespace("pl.pipeline", {"stage": PipelineDecorator(), "PipelineConfig": Unmodelled("config")}),
    }
    for name in ("simt", "function", "inline", "program", "parse", "loads", "parse_program", "loads_program"):
        members[name] = Unmodelled(f"pl.{name}")
    for name in ("KernelDef", "MemRef", "TilingKeyField", "DataType", "parser"):
        members[name] = Unmodelled(f"pl.{name}")
    return Namespace("pl", members)


@cache
def modules() -> Mapping[str, Value]:
    """What the mode supplies, by import name."""
    return {"pypto_pro": LibraryModule("pypto_pro", {"language": language()}), "pypto_pro.language": language()}
