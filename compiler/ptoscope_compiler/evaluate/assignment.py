"""Assignments to names, items, attributes and patterns of these."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .attributes import delete_item, get_attribute, get_item, set_attribute, set_item
from .dialect import Construct
from .dispatch import evaluate, statement
from .errors import WrongUnpackCount
from .iteration import items_of
from .operation import Operation
from .operators import SYMBOLS, in_place
from .scope import Frame
from .site import UNBOUND
from .values import Abstract, Unknown, Value, is_unknown


def assign(frame: Frame, target: ast.expr, value: Value) -> None:
    """Bind `target`, whatever its form."""
    if isinstance(target, ast.Name):
        frame.store(target.id, value)
        frame.interpreter.assigned(frame, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(frame, target, value)
    elif isinstance(target, ast.Subscript):
        container = evaluate(frame, target.value)
        set_item(container, evaluate(frame, target.slice), value, Operation(frame, target))
    elif isinstance(target, ast.Attribute):
        set_attribute(evaluate(frame, target.value), target.attr, value, Operation(frame, target))
    elif isinstance(target, ast.Starred):
        assign(frame, target.value, value)


@statement(ast.Assign)
def _assign(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value)
    if len(node.targets) > 1:
        frame.refuse(Construct.CHAINED_ASSIGNMENT, node)
    for target in node.targets:
        assign(frame, target, value)


@statement(ast.AnnAssign)
def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(frame, node.target, evaluate(frame, node.value))


@statement(ast.AugAssign)
def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    symbol = SYMBOLS[type(node.op)]
    site = Operation(frame, node)
    target = node.target
    if isinstance(target, ast.Name):
        old = evaluate(frame, target)
        value = in_place(symbol, old, evaluate(frame, node.value), site)
        frame.store(target.id, value)
        frame.interpreter.assigned(frame, target, value)
    elif isinstance(target, ast.Subscript):
        container, key = evaluate(frame, target.value), evaluate(frame, target.slice)
        place = Operation(frame, target)
        old = get_item(container, key, place)
        set_item(container, key, in_place(symbol, old, evaluate(frame, node.value), site), place)
    else:
        owner = evaluate(frame, target.value)
        place = Operation(frame, target)
        old = get_attribute(owner, target.attr, place)
        set_attribute(owner, target.attr, in_place(symbol, old, evaluate(frame, node.value), site), place)


@statement(ast.Delete)
def _delete(frame: Frame, node: ast.Delete) -> None:
    frame.refuse(Construct.DELETE, node)
    for target in node.targets:
        _delete_target(frame, target)


def _delete_target(frame: Frame, target: ast.expr) -> None:
    if isinstance(target, ast.Name):
        owner = frame.scope.owner(target.id)
        frame.interpreter.mutating(owner.variables)
        if owner.variables.pop(target.id, UNBOUND) is UNBOUND and not frame.module.open:
            frame.interpreter.fail(NameError(f"name '{target.id}' is not defined"), frame, target)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            _delete_target(frame, element)
    elif isinstance(target, ast.Subscript):
        container = evaluate(frame, target.value)
        delete_item(container, evaluate(frame, target.slice), Operation(frame, target))
    elif isinstance(target, ast.Attribute):
        _delete_attribute(frame, target)


def _delete_attribute(frame: Frame, target: ast.Attribute) -> None:
    owner = evaluate(frame, target.value)
    attributes = getattr(owner, "attributes", None) if isinstance(owner, Abstract) else None
    if isinstance(attributes, dict):
        frame.interpreter.mutating(attributes)
        if attributes.pop(target.attr, UNBOUND) is UNBOUND:
            frame.interpreter.fail(AttributeError(target.attr), frame, target)


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: Value) -> None:
    site = Operation(frame, target)
    star = next((index for index, element in enumerate(target.elts) if isinstance(element, ast.Starred)), None)
    if star is not None:
        frame.refuse(Construct.STARRED_TARGET, target)
    by_index = frame.dialect.unpacks_by_index and star is None
    items: Sequence[Value] | None
    if by_index and isinstance(value, Abstract):
        items = [get_item(value, index, site) for index in range(len(target.elts))]
    else:
        items = None if is_unknown(value) else items_of(value, site)
    if items is not None and by_index:
        items = items[: len(target.elts)]
    if items is not None:
        items = _fitted(frame, target, items, star)
    if items is None:
        items = [Unknown("item")] * len(target.elts)
    for element, item in zip(target.elts, items, strict=False):
        assign(frame, element, item)


def _fitted(frame: Frame, target: ast.Tuple | ast.List, items: Sequence[Value], star: int | None) -> list[Value] | None:
    """One item for each target, the starred one a list; a finding and None where the count does not fit."""
    expected = len(target.elts)
    if star is None:
        if len(items) == expected:
            return list(items)
        if len(items) < expected:
            message = f"not enough values to unpack (expected {expected}, got {len(items)})"
        else:
            message = f"too many values to unpack (expected {expected}, got {len(items)})"
    else:
        after = expected - star - 1
        if len(items) >= expected - 1:
            return [*items[:star], list(items[star : len(items) - after]), *items[len(items) - after :]]
        message = f"not enough values to unpack (expected at least {expected - 1}, got {len(items)})"
    frame.interpreter.fail(WrongUnpackCount(message), frame, target)
    return None
