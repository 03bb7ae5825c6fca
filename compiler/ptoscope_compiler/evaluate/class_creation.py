"""From a class body to the kind of class that its bases make it."""

from __future__ import annotations

import ast
import enum
import typing
from collections import namedtuple

from .builtin_functions import one
from .classes import ClassMethod, Instance, Property, StaticMethod, Super, UserClass
from .enumerations import EnumClass, is_enumeration
from .natives import native
from .operation import Operation
from .site import UNBOUND
from .values import Arguments, Unknown, Value


def create_class(
    node: ast.ClassDef,
    bases: tuple[Value, ...],
    keywords: dict[str, Value],
    variables: dict[str, Value],
    site: Operation,
) -> Value:
    """The value of a class statement whose body bound `variables`."""
    if any(is_enumeration(base) for base in bases):
        return EnumClass(node.name, node, bases, variables, site)
    if typing.NamedTuple in bases:
        return _named_tuple(node, variables, site)
    frame = site.frame
    kind = UserClass(node.name, node, bases, variables, frame.module, frame.scope, frame.lines_above)
    if "metaclass" in keywords and getattr(keywords["metaclass"], "__name__", "") != "ABCMeta":
        kind.is_open = True
    return kind


def _named_tuple(node: ast.ClassDef, variables: dict[str, Value], site: Operation) -> Value:
    frame = site.frame
    kind = UserClass(node.name, node, (object,), variables, frame.module, frame.scope, frame.lines_above)
    fields = list(kind.annotation_nodes())
    defaults = [variables[name] for name in fields if name in variables]
    for name in fields:
        variables.pop(name, None)
    base = namedtuple(node.name, fields, defaults=defaults)  # type: ignore[misc]
    return type(node.name, (base,), {"__slots__": (), "user_class": kind})


@native(staticmethod, 1, 1)
def _static_method(arguments: Arguments, site: Operation) -> Value:
    return StaticMethod(one(arguments))


@native(classmethod, 1, 1)
def _class_method(arguments: Arguments, site: Operation) -> Value:
    return ClassMethod(one(arguments))


@native(property, 0, 4)
def _property(arguments: Arguments, site: Operation) -> Value:
    values = [*arguments.positional, None, None]
    keywords = dict(arguments.keywords)
    return Property(keywords.get("fget", values[0]), keywords.get("fset", values[1]))


@native(super, 0, 2)
def _super(arguments: Arguments, site: Operation) -> Value:
    owner, instance = arguments.positional if len(arguments.positional) == 2 else _method_of(site)
    if isinstance(owner, UserClass) and isinstance(instance, (Instance, UserClass)):
        return Super(owner, instance)
    return Unknown("super()")


def _method_of(site: Operation) -> tuple[Value, Value]:
    frame = site.frame
    owner = frame.parent_class
    if owner is UNBOUND:
        owner = frame.scope.find("__class__")
    return owner, frame.receiver


@native(enum.auto)
def _auto(arguments: Arguments, site: Operation) -> Value:
    return enum.auto()
