"""The module `pypto_pro.language` as the evaluator sees it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..evaluate.library.module import LibraryModule
from ..evaluate.values import Value
from . import ops  # noqa: F401 (families register themselves)
from .declarations import ANNOTATIONS, DYNAMIC, ELEMENT_TYPES, ENUMERATIONS, STATIC, Function, tile_type
from .kernel import Decorator, PipelineDecorator, VectorFunctionDecorator
from .namespace import Namespace, Unmodelled, operations, vector_namespace

_LAYOUTS = ("ND", "DN", "NZ", "ZN", "NN", "ZZ")
_HIDDEN = ("CmpMode",)


@cache
def language() -> Namespace:
    """`pypto_pro.language`."""
    system = operations("system", "pl.system.")
    members: dict[str, Value] = {
        **operations("operations", "pl."),
        **{name: value for name, value in ENUMERATIONS.items() if name not in _HIDDEN},
        **ELEMENT_TYPES,
        **ANNOTATIONS,
        **{name: ENUMERATIONS["TensorLayout"].members[name] for name in _LAYOUTS},
        "DYNAMIC": DYNAMIC,
        "STATIC": STATIC,
        "TileType": Function("TileType", tile_type),
        "system": Namespace("pl.system", system),
        "mutex": Namespace("pl.mutex", {name: system[name] for name in ("mutex_lock", "mutex_unlock")}),
        "Vf": vector_namespace(),
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
