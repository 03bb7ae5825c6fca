"""Calls: what their arguments evaluate to, and how any callable value is called."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .dispatch import evaluate, expression
from .functions import BoundMethod, OpenArguments, Partial, UserFunction
from .iteration import items_of
from .natives import call_native
from .operation import Operation
from .scope import Frame
from .site import Site
from .values import Abstract, Arguments, Unknown, Unsupported, Value, is_unknown


@expression(ast.Call)
def evaluate_call(frame: Frame, node: ast.Call) -> Value:
    function = evaluate(frame, node.func)
    arguments = evaluate_arguments(frame, node)
    return call_value(function, arguments, Operation(frame, node))


def evaluate_arguments(frame: Frame, node: ast.Call) -> Arguments:
    """The arguments of a call, `*` and `**` unpacked; `OpenArguments` where one of those is not known."""
    positional: list[Value] = []
    keywords: dict[str, Value] = {}
    known = True
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = items_of(evaluate(frame, argument.value), Operation(frame, argument))
            known = known and items is not None
            positional.extend(items or ())
        elif known:
            positional.append(evaluate(frame, argument))
        else:
            evaluate(frame, argument)
    for keyword in node.keywords:
        value = evaluate(frame, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
            _add_keywords(frame, keyword, keywords, value)
        else:
            known = False
    return (Arguments if known else OpenArguments)(tuple(positional), keywords)


def call_value(function: Value, arguments: Arguments, site: Site) -> Value:
    """Call any value; Unknown where it is not known, or where calling it is an error."""
    if is_unknown(function):
        return Unknown(function.reason)
    if isinstance(function, Abstract):
        if isinstance(arguments, OpenArguments) and not isinstance(function, (UserFunction, BoundMethod, Partial)):
            return Unknown("arguments")
        try:
            return function.call(arguments, site)
        except Unsupported as reason:
            return fail(site, TypeError(str(reason)))
    if isinstance(arguments, OpenArguments):
        return Unknown("arguments")
    if callable(function):
        return call_native(function, arguments, site)
    return fail(site, TypeError(f"'{type(function).__name__}' object is not callable"))


def fail(site: Site, error: BaseException) -> Value:
    """What Python would raise at `site`."""
    assert isinstance(site, Operation)
    return site.fail(error)


def _add_keywords(frame: Frame, node: ast.keyword, keywords: dict[str, Value], more: Mapping[str, Value]) -> None:
    for name, value in more.items():
        if name in keywords:
            Operation(frame, node).fail(TypeError(f"got multiple values for keyword argument '{name}'"))
        keywords[name] = value
