"""Comprehensions and generator expressions, evaluated at once in a scope of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from .assignment import assign
from .attributes import UNKNOWN_KEY
from .calls import call_value
from .dialect import Construct
from .dispatch import evaluate, expression
from .iteration import iterate
from .names import Code
from .operation import Operation
from .operators import definite_truth
from .scope import Frame, Scope
from .values import Arguments, Unknown, Value, is_unknown


@expression(ast.ListComp)
def _list(frame: Frame, node: ast.ListComp) -> Value:
    frame.refuse(Construct.COMPREHENSION, node)
    items = _collect(frame, node, lambda: evaluate(frame, node.elt))
    return Unknown("comprehension") if items is None else items


@expression(ast.SetComp)
def _set(frame: Frame, node: ast.SetComp) -> Value:
    frame.refuse(Construct.COMPREHENSION, node)
    items = _collect(frame, node, lambda: evaluate(frame, node.elt))
    if items is None:
        return Unknown("comprehension")
    return call_value(set, Arguments((items,)), Operation(frame, node))


@expression(ast.GeneratorExp)
def _generator(frame: Frame, node: ast.GeneratorExp) -> Value:
    frame.refuse(Construct.GENERATOR_EXPRESSION, node)
    items = _collect(frame, node, lambda: evaluate(frame, node.elt))
    return Unknown("generator") if items is None else iter(items)


@expression(ast.DictComp)
def _dict(frame: Frame, node: ast.DictComp) -> Value:
    frame.refuse(Construct.COMPREHENSION, node)
    pairs = _collect(frame, node, lambda: (evaluate(frame, node.key), evaluate(frame, node.value)))
    if pairs is None:
        return Unknown("comprehension")
    table: dict[Any, Value] = {}
    for key, value in pairs:
        table[UNKNOWN_KEY if is_unknown(key) else key] = value
    return table


def _collect(
    frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, element: Callable[[], Value]
) -> list[Value] | None:
    """What `element` gives for each combination of the generators; None where these are not known."""
    outer = frame.scope
    source = evaluate(frame, node.generators[0].iter)
    frame.scope = Scope(outer, Code(_targets(node.generators)))
    found: list[Value] = []
    try:
        complete = _generate(frame, node.generators, source, lambda: found.append(element()))
    finally:
        frame.scope = outer
    return found if complete else None


def _targets(generators: Iterable[ast.comprehension]) -> frozenset[str]:
    return frozenset(
        name.id for generator in generators for name in ast.walk(generator.target) if isinstance(name, ast.Name)
    )


def _generate(frame: Frame, generators: list[ast.comprehension], source: Value, produce: Callable[[], None]) -> bool:
    generator, rest = generators[0], generators[1:]
    site = Operation(frame, generator.iter)
    items = iterate(source, site)
    if items is None:
        assign(frame, generator.target, Unknown("item"))
        return False
    for item in items:
        assign(frame, generator.target, item)
        keep = _passes(frame, generator)
        if keep is None:
            return False
        if not keep:
            continue
        if rest:
            if not _generate(frame, rest, evaluate(frame, rest[0].iter), produce):
                return False
        else:
            produce()
    return True


def _passes(frame: Frame, generator: ast.comprehension) -> bool | None:
    for condition in generator.ifs:
        known = definite_truth(evaluate(frame, condition), Operation(frame, condition))
        if not known:
            return known
    return True
