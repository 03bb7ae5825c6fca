"""`def`, `lambda` and `class`."""

from __future__ import annotations

import ast

from .calls import call_value
from .class_creation import create_class
from .dialect import Construct
from .dispatch import evaluate, execute, expression, statement
from .functions import UserFunction
from .iteration import items_of
from .operation import Operation
from .scope import Frame, Scope
from .site import UNBOUND
from .values import Arguments, Unknown, Value, is_unknown


@statement(ast.FunctionDef, ast.AsyncFunctionDef)
def _define(frame: Frame, node: ast.FunctionDef) -> None:
    if frame.scope.code is not None:
        frame.refuse(Construct.NESTED_FUNCTION, node)
    if not isinstance(node, ast.FunctionDef):
        frame.refuse(Construct.AWAIT, node)
    decorators = [evaluate(frame, decorator) for decorator in node.decorator_list]
    function = _function(frame, node.name, node)
    function.decorators = decorators
    frame.store(node.name, _decorated(frame, function, node.decorator_list, decorators))


@expression(ast.Lambda)
def _lambda(frame: Frame, node: ast.Lambda) -> Value:
    frame.refuse(Construct.LAMBDA, node)
    return _function(frame, "<lambda>", node)


@statement(ast.ClassDef)
def _define_class(frame: Frame, node: ast.ClassDef) -> None:
    frame.refuse(Construct.CLASS, node)
    decorators = [evaluate(frame, decorator) for decorator in node.decorator_list]
    bases: list[Value] = []
    for base in node.bases:
        if isinstance(base, ast.Starred):
            bases.extend(items_of(evaluate(frame, base.value), Operation(frame, base)) or [Unknown("base")])
        else:
            bases.append(evaluate(frame, base))
    keywords = {keyword.arg: evaluate(frame, keyword.value) for keyword in node.keywords if keyword.arg is not None}
    outer = frame.scope
    frame.scope = Scope(outer, is_class=True)
    try:
        execute(frame, node.body)
        variables = dict(frame.scope.variables)
    finally:
        frame.scope = outer
    value = create_class(node, tuple(bases), keywords, variables, Operation(frame, node))
    frame.store(node.name, _decorated(frame, value, node.decorator_list, decorators))


def _function(frame: Frame, name: str, node: ast.FunctionDef | ast.Lambda) -> UserFunction:
    arguments = node.args
    defaults = [evaluate(frame, default) for default in arguments.defaults]
    keyword_defaults = {
        parameter.arg: evaluate(frame, default)
        for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False)
        if default is not None
    }
    return UserFunction(name, node, frame.module, frame.scope, defaults, keyword_defaults, frame.lines_above)


def _decorated(frame: Frame, value: Value, nodes: list[ast.expr], decorators: list[Value]) -> Value:
    """`value` under its decorators; one that is not known is taken to keep the behaviour of what it decorates."""
    for node, decorator in zip(reversed(nodes), reversed(decorators), strict=False):
        result = call_value(decorator, Arguments((value,)), Operation(frame, node))
        if not is_unknown(result) and result is not UNBOUND:
            value = result
    return value
