"""Which names a piece of syntax binds. Nested functions, classes and lambdas are scopes of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Code:
    """What a function's syntax says of its names."""

    locals: frozenset[str]
    globals: frozenset[str] = frozenset()
    is_generator: bool = False


_codes: WeakKeyDictionary[ast.AST, Code] = WeakKeyDictionary()
_stored: WeakKeyDictionary[ast.AST, tuple[str, ...]] = WeakKeyDictionary()


def code_of(function: FunctionNode) -> Code:
    """Local names of `function` and whether it yields."""
    code = _codes.get(function)
    if code is None:
        code = _codes[function] = _analyse(function)
    return code


def stored_names(statement: ast.AST) -> tuple[str, ...]:
    """Names that `statement` may rebind, and those on which it assigns items or attributes, in order of appearance."""
    names = _stored.get(statement)
    if names is None:
        found = dict.fromkeys(_bindings(_bodies(statement), mutations=True))
        names = _stored[statement] = tuple(found)
    return names


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Every parameter, in the order of the signature."""
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        found.append(arguments.vararg)
    found.extend(arguments.kwonlyargs)
    if arguments.kwarg:
        found.append(arguments.kwarg)
    return found


def _analyse(function: FunctionNode) -> Code:
    body: Iterable[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else function.body
    nodes = list(_own_nodes(body))
    shared = frozenset(name for node in nodes if isinstance(node, ast.Global) for name in node.names)
    outer = {name for node in nodes if isinstance(node, ast.Nonlocal) for name in node.names}
    bound = {parameter.arg for parameter in parameters(function.args)} | set(_bindings(body, mutations=False))
    yields = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes)
    return Code(frozenset(bound - shared - outer), shared, yields)


def _bodies(statement: ast.AST) -> list[ast.AST]:
    if isinstance(statement, ast.For):
        return [*statement.body]
    if isinstance(statement, ast.IfExp):
        return [statement.body, statement.orelse]
    return [statement]


def _own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """`nodes` and what is below them in the same scope, in order of the source."""
    for node in nodes:
        yield node
        if isinstance(node, _DEFINITIONS):
            yield from _own_nodes([*node.decorator_list])
        elif not isinstance(node, ast.Lambda):
            yield from _own_nodes(_children(node))


def _children(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.Assign):
        return [node.value, *node.targets]
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        return [node.target] if node.value is None else [node.value, node.target]
    return ast.iter_child_nodes(node)


def _bindings(nodes: Iterable[ast.AST], mutations: bool) -> Iterator[str]:
    comprehension_targets: set[int] = set()
    for node in _own_nodes(nodes):
        if isinstance(node, ast.comprehension):
            comprehension_targets.update(id(name) for name in ast.walk(node.target))
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, (ast.Store, ast.Del)) and id(node) not in comprehension_targets:
                yield node.id
        elif isinstance(node, _DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.ExceptHandler):
            if node.name:
                yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)):
            if node.name:
                yield node.name
        elif isinstance(node, ast.MatchMapping):
            if node.rest:
                yield node.rest
        elif mutations and isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            base: ast.expr = node.value
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name):
                yield base.id
