"""All rules, by code."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from string import Formatter
from types import MappingProxyType

from . import rules as package
from .diagnostic import Rule


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule of `diagnostics/rules/`, in the order of the codes. Raises ValueError where two share a code."""
    found: dict[str, Rule] = {}
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        rule: Rule = importlib.import_module(f"{package.__name__}.{module.name}").RULE
        if rule.code in found:
            raise ValueError(f"{rule.code} is the code of both '{found[rule.code].name}' and '{rule.name}'")
        found[rule.code] = rule
    return MappingProxyType(found)


def fields(template: str) -> frozenset[str]:
    """Names of the arguments that a template takes."""
    return frozenset(_fields(template))


def _fields(template: str) -> Iterator[str]:
    for _, name, specification, _ in Formatter().parse(template):
        if name is not None:
            yield name.split(".")[0].split("[")[0]
            yield from _fields(specification or "")
