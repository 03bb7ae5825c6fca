"""The syntax of live functions and classes, found in the file that defines them, so that places are the file's own."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from ..names import FunctionNode, parameters

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass
class _File:
    tree: ast.Module
    functions: dict[tuple[str, int], FunctionNode] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)

    @cached_property
    def lambdas(self) -> Mapping[int, Sequence[ast.Lambda]]:
        """Those that start on each line."""
        found: dict[int, list[ast.Lambda]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Lambda):
                found.setdefault(node.lineno, []).append(node)
        return found


_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
"""Fields of a statement, or of a clause of one, that hold statements or clauses."""

_files: dict[tuple[str, int], _File] = {}


def function_node(function: FunctionType) -> FunctionNode | None:
    """The syntax of `function`; None where its source is not to be had."""
    code = function.__code__
    file = _file(code.co_filename, function.__globals__)
    if file is None:
        return None
    if code.co_name == "<lambda>":
        return _lambda_node(file, code)
    return file.functions.get((code.co_name, code.co_firstlineno))


def class_node(kind: type) -> ast.ClassDef | None:
    """The syntax of a class; None where its source is not to be had."""
    try:
        path = inspect.getsourcefile(kind)
    except TypeError:
        return None
    file = _file(path, {}) if path else None
    return file.classes.get(kind.__qualname__) if file else None


def file_of(function: Callable[..., Any]) -> str:
    """The file that defines `function`."""
    code: CodeType = function.__code__
    return code.co_filename


def _file(path: str, module_globals: dict[str, Any]) -> _File | None:
    linecache.checkcache(path)
    lines = linecache.getlines(path, module_globals)
    key = path, hash("".join(lines))
    if key not in _files:
        try:
            tree = ast.parse("".join(lines), path)
        except SyntaxError:
            return None
        _files[key] = _indexed(tree)
    return _files[key] if lines else None


def _indexed(tree: ast.Module) -> _File:
    file = _File(tree)
    for node, qualified in _definitions(tree.body, ""):
        if isinstance(node, ast.ClassDef):
            file.classes[qualified] = node
        else:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            file.functions[node.name, first] = node
    return file


def _definitions(statements: Iterable[ast.AST], prefix: str) -> Iterator[tuple[_Definition, str]]:
    for node in statements:
        within = prefix
        if isinstance(node, ast.ClassDef):
            yield node, prefix + node.name
            within = f"{prefix}{node.name}."
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node, prefix + node.name
            within = f"{prefix}{node.name}.<locals>."
        for block in _BLOCKS:
            yield from _definitions(getattr(node, block, ()), within)


def _lambda_node(file: _File, code: CodeType) -> ast.Lambda | None:
    count = code.co_argcount + code.co_kwonlyargcount
    names = set(code.co_varnames[:count])
    found = file.lambdas.get(code.co_firstlineno, [])
    fitting = [node for node in found if {parameter.arg for parameter in parameters(node.args)} >= names]
    if len(fitting) > 1:
        fitting = [node for node in fitting if _constants(node) == _plain_constants(code)] or fitting
    return fitting[0] if fitting else None


def _constants(node: ast.Lambda) -> set[str]:
    return {repr(part.value) for part in ast.walk(node.body) if isinstance(part, ast.Constant)}


def _plain_constants(code: CodeType) -> set[str]:
    return {repr(value) for value in code.co_consts[0 if code.co_consts[:1] != (None,) else 1 :]}
