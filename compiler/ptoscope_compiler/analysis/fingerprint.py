"""What the check of a kernel depends on, as one short text: equal texts, equal findings.

Read are the code of the kernel and of everything that it names, through closures, modules and values, and the
arguments of its call. What is not understood makes a fingerprint that nothing else has.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from ..evaluate.classes import Instance, UserClass
from ..evaluate.functions import UserFunction
from ..evaluate.interpreter import Interpreter
from ..evaluate.kernels import Kernel
from ..evaluate.names import FunctionNode
from ..evaluate.scope import Module
from ..evaluate.site import UNBOUND
from ..evaluate.static_environment import StaticEnvironment
from ..evaluate.values import Value, is_unknown
from ..origin import Span
from ..tensor_mode.session import Session
from .spans import Files, anchor_of

_LONGEST = 20_000
_ATOMS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range)
_WITHOUT_STATE = (StaticEnvironment, Interpreter)
_unique = count()
_names: WeakKeyDictionary[ast.AST, dict[str, frozenset[str] | None]] = WeakKeyDictionary()


def fingerprint(files: Files, *values: Value) -> str:
    """The fingerprint of `values`; `files` has the text of every function among them."""
    digest = blake2b(digest_size=16)
    try:
        for length, text in enumerate(_Reader(files).read(values)):
            digest.update(text.encode("utf-8", "replace") + b"\0")
            if length > _LONGEST:
                return _nothing_else_has()
    except RecursionError:
        return _nothing_else_has()
    return digest.hexdigest()


def _nothing_else_has() -> str:
    return f"unique {next(_unique)}"


class _Reader:
    def __init__(self, files: Files) -> None:
        self.files = files
        self.seen: dict[int, int] = {}
        self.kept: list[Value] = []

    def read(self, value: Value) -> Iterator[str]:
        if isinstance(value, _ATOMS) or is_unknown(value) or value is UNBOUND:
            yield repr(value)
            return
        known = self.seen.get(id(value))
        if known is not None:
            yield f"#{known}"
            return
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        yield type(value).__qualname__
        yield from self._contents(value)

    def _contents(self, value: Value) -> Iterator[str]:
        if isinstance(value, (tuple, list)):
            yield str(len(value))
            for item in value:
                yield from self.read(item)
        elif isinstance(value, Mapping):
            yield str(len(value))
            for key, item in value.items():
                yield from self.read(key)
                yield from self.read(item)
        elif isinstance(value, (set, frozenset)):
            yield from sorted("\0".join(_Reader(self.files).read(item)) for item in value)
        elif isinstance(value, Span):
            yield self._place(value.file, value.line, value.column)
        elif isinstance(value, UserFunction):
            yield from self._function(value)
        elif isinstance(value, UserClass):
            yield from self._code(value.module.file, value.node, value.lines_above)
            yield from self.read([value.bases, value.attributes])
        elif isinstance(value, Instance):
            yield from self.read([value.user_class, dict(value.attributes)])
        elif isinstance(value, Kernel):
            yield from self.read([value.function, value.mode, value.options])
        elif isinstance(value, Module):
            yield value.file
            yield from self.read(dict(value.scope.variables))
        elif isinstance(value, Session):
            yield from self.read(value.configuration.current)
        elif isinstance(value, _WITHOUT_STATE):
            pass
        elif getattr(value, "type_name", "") == "module":
            yield value.name
            yield from self.read(getattr(value, "session", None))
        else:
            yield from self._object(value)

    def _place(self, path: str, line: int, column: int) -> str:
        anchor, first = anchor_of(path, line, self.files)
        return f"{anchor.path}:{anchor.label}:{anchor.occurrence}:{line - first}:{column}"

    def _code(self, path: str, node: FunctionNode | ast.ClassDef, above: int) -> Iterator[str]:
        yield self._place(path, node.lineno + above, node.col_offset)
        file = self.files.get(path)
        if file is None or not file.parts:
            yield _nothing_else_has()
        else:
            decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) + above
            yield file.part_at(first).rows(first, (node.end_lineno or node.lineno) + above)

    def _function(self, function: UserFunction) -> Iterator[str]:
        node = function.node
        yield from self._code(function.module.file, node, function.lines_above)
        yield from self.read([function.defaults, function.keyword_defaults, function.attributes])
        for name, attributes in _names_read(node).items():
            value = function.scope.find(name)
            yield name
            if isinstance(value, Module) and attributes is not None:
                for attribute in sorted(attributes):
                    yield from self.read(value.scope.variables.get(attribute, UNBOUND))
            else:
                yield from self.read(value)

    def _object(self, value: Value) -> Iterator[str]:
        """Our own objects by their fields, classes and native functions by name."""
        name = getattr(value, "__qualname__", None)
        if isinstance(value, enum.Enum):
            yield value.name
        elif name is not None and (isinstance(value, type) or type(value).__module__ == "builtins"):
            yield f"{value.__module__}.{name}"
        elif type(value).__module__.startswith(__name__.partition(".")[0]):
            for field, content in _fields(value):
                yield field
                yield from self.read(content)
        else:
            yield _nothing_else_has()


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield field.name, getattr(value, field.name)
        return
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    yield from ((name, getattr(value, name, None)) for name in slots if name != "__weakref__")
    yield from getattr(value, "__dict__", {}).items()


def _names_read(node: FunctionNode) -> dict[str, frozenset[str] | None]:
    """Names that a function reads, each with the attributes that are read of it; None where it is also used whole."""
    found = _names.get(node)
    if found is None:
        found = _names[node] = _collect(node)
    return found


def _collect(node: FunctionNode) -> dict[str, frozenset[str] | None]:
    attributes: dict[str, set[str]] = {}
    bases: set[int] = set()
    whole: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
            attributes.setdefault(inner.value.id, set()).add(inner.attr)
            bases.add(id(inner.value))
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and id(inner) not in bases:
            whole.add(inner.id)
    names = sorted(attributes.keys() | whole)
    return {name: None if name in whole else frozenset(attributes[name]) for name in names}
