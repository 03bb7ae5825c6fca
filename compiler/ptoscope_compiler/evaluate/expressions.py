"""Plain expressions: names, literals, operators, attributes, items, texts."""

from __future__ import annotations

import ast
from typing import Any

from .attributes import UNKNOWN_KEY, get_attribute, get_item, is_hashable
from .builtin_functions import BUILTINS
from .calls import call_value
from .dialect import Construct
from .dispatch import evaluate, expression
from .functions import MAXIMAL_YIELDS, GeneratorCut
from .iteration import items_of, iterate
from .natives import call_concrete, is_concrete
from .operation import Operation
from .operators import SYMBOLS, binary, unary
from .scope import Frame
from .site import UNBOUND
from .values import Abstract, Arguments, Unknown, Value, is_unknown


@expression(ast.Constant)
def _constant(frame: Frame, node: ast.Constant) -> Value:
    return node.value


@expression(ast.Name)
def load_name(frame: Frame, node: ast.Name) -> Value:
    """The value of a variable; a finding where it is provably not bound."""
    name = node.id
    value = frame.scope.variables.get(name, UNBOUND)
    if value is not UNBOUND:
        return value
    value = frame.scope.find(name)
    if value is not UNBOUND:
        return value
    code = frame.scope.code
    if code is not None and name in code.locals:
        message = f"cannot access local variable '{name}' where it is not associated with a value"
        return frame.interpreter.fail(UnboundLocalError(message), frame, node)
    if name in BUILTINS:
        return BUILTINS[name]
    if frame.module.open:
        return Unknown(name)
    return frame.interpreter.fail(NameError(f"name '{name}' is not defined"), frame, node)


@expression(ast.Attribute)
def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    return get_attribute(evaluate(frame, node.value), node.attr, Operation(frame, node))


@expression(ast.Subscript)
def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    value = evaluate(frame, node.value)
    return get_item(value, evaluate(frame, node.slice), Operation(frame, node))


@expression(ast.Slice)
def _slice(frame: Frame, node: ast.Slice) -> Value:
    return slice(*(None if part is None else evaluate(frame, part) for part in (node.lower, node.upper, node.step)))


@expression(ast.BinOp)
def _binary(frame: Frame, node: ast.BinOp) -> Value:
    left = evaluate(frame, node.left)
    right = evaluate(frame, node.right)
    return binary(SYMBOLS[type(node.op)], left, right, Operation(frame, node))


@expression(ast.UnaryOp)
def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    return unary(SYMBOLS[type(node.op)], evaluate(frame, node.operand), Operation(frame, node))


@expression(ast.Tuple)
def _tuple(frame: Frame, node: ast.Tuple) -> Value:
    items = _elements(frame, node.elts)
    return Unknown("tuple") if items is None else tuple(items)


@expression(ast.List)
def _list(frame: Frame, node: ast.List) -> Value:
    items = _elements(frame, node.elts)
    return Unknown("list") if items is None else items


@expression(ast.Set)
def _set(frame: Frame, node: ast.Set) -> Value:
    items = _elements(frame, node.elts)
    return Unknown("set") if items is None else call_value(set, Arguments((items,)), Operation(frame, node))


@expression(ast.Dict)
def _dict(frame: Frame, node: ast.Dict) -> Value:
    table: dict[Any, Value] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=False):
        if key_node is None:
            more = evaluate(frame, value_node)
            if isinstance(more, dict) and not frame.interpreter.is_vague(more):
                table.update(more)
            else:
                table[UNKNOWN_KEY] = Unknown("element")
            continue
        key = evaluate(frame, key_node)
        value = evaluate(frame, value_node)
        if is_unknown(key):
            table[UNKNOWN_KEY] = value
        elif is_hashable(key):
            table[key] = value
        else:
            frame.interpreter.fail(TypeError(f"unhashable type: '{type(key).__name__}'"), frame, key_node)
    return table


@expression(ast.JoinedStr)
def _joined(frame: Frame, node: ast.JoinedStr) -> Value:
    parts = [evaluate(frame, part) for part in node.values]
    return "".join(parts) if all(isinstance(part, str) for part in parts) else Unknown("text")


@expression(ast.FormattedValue)
def _formatted(frame: Frame, node: ast.FormattedValue) -> Value:
    site = Operation(frame, node)
    value = evaluate(frame, node.value)
    specification = "" if node.format_spec is None else evaluate(frame, node.format_spec)
    convert = {ord("r"): repr, ord("s"): str, ord("a"): ascii}.get(node.conversion)
    if convert is not None or (isinstance(value, Abstract) and specification == ""):
        value = call_value(convert or str, Arguments((value,)), site)
    if not is_concrete(value) or is_unknown(specification):
        return Unknown("text")
    return call_concrete(format, Arguments((value, specification)), site)


@expression(ast.NamedExpr)
def _named(frame: Frame, node: ast.NamedExpr) -> Value:
    frame.refuse(Construct.WALRUS, node)
    value = evaluate(frame, node.value)
    frame.store(node.target.id, value)
    return value


@expression(ast.Await)
def _await(frame: Frame, node: ast.Await) -> Value:
    frame.refuse(Construct.AWAIT, node)
    return evaluate(frame, node.value)


@expression(ast.Yield)
def _yield(frame: Frame, node: ast.Yield) -> Value:
    frame.refuse(Construct.YIELD, node)
    _emit(frame, None if node.value is None else evaluate(frame, node.value))
    return None


@expression(ast.YieldFrom)
def _yield_from(frame: Frame, node: ast.YieldFrom) -> Value:
    frame.refuse(Construct.YIELD, node)
    items = iterate(evaluate(frame, node.value), Operation(frame, node))
    if items is None:
        raise GeneratorCut
    for item in items:
        _emit(frame, item)
    return None


def _emit(frame: Frame, value: Value) -> None:
    if frame.pending_yields is None:
        return
    frame.interpreter.mutating(frame.pending_yields)
    frame.pending_yields.append(value)
    if len(frame.pending_yields) > MAXIMAL_YIELDS:
        raise GeneratorCut


def _elements(frame: Frame, nodes: list[ast.expr]) -> list[Value] | None:
    """The items of a literal; None where a `*` part is not known."""
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            more = items_of(evaluate(frame, node.value), Operation(frame, node))
            if more is None:
                return None
            items.extend(more)
        else:
            items.append(evaluate(frame, node))
    return items
