"""Enumerations of the evaluated program."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable
from typing import Any

from .classes import Instance, UserClass
from .functions import UserFunction
from .operation import Operation
from .operators import binary, equal, unary
from .site import Site
from .values import Arguments, Builtin, Unknown, Value, is_unknown

_FLAGS = (enum.Flag, enum.IntFlag)
_FLAG_OPERATORS = ("&", "|", "^")


def is_enumeration(base: Value) -> bool:
    """Whether a class with this base is an enumeration."""
    return isinstance(base, EnumClass) or (isinstance(base, type) and issubclass(base, enum.Enum))


class EnumClass(UserClass):
    """An enumeration: its `members` in order, by name."""

    def __init__(
        self, name: str, node: ast.ClassDef, bases: tuple[Value, ...], variables: dict[str, Value], site: Operation
    ) -> None:
        frame = site.frame
        super().__init__(name, node, bases, variables, frame.module, frame.scope, frame.lines_above)
        self.is_open = False
        self.members: dict[str, EnumMember] = {}
        self.is_flag = any(issubclass(base, _FLAGS) for base in self.native_types)
        self.mixes_value = any(issubclass(base, (int, str)) for base in self.native_types)
        for key, value in list(variables.items()):
            if _is_member(key, value):
                variables[key] = self.members[key] = self._member(key, value, site)

    def call(self, arguments: Arguments, site: Site) -> Value:
        assert isinstance(site, Operation)
        wanted = arguments.positional[0] if arguments.positional else None
        if is_unknown(wanted):
            return Unknown(self.name)
        for member in self.members.values():
            if wanted is member or equal(wanted, member.value, site) is True:
                return member
        if self.is_flag and isinstance(wanted, int):
            return EnumMember(self, "", wanted)
        return site.fail(ValueError(f"{wanted!r} is not a valid {self.name}"))

    def get_attribute(self, name: str, site: Site) -> Value:
        return dict(self.members) if name == "__members__" else super().get_attribute(name, site)

    def get_item(self, key: Value, site: Site) -> Value:
        assert isinstance(site, Operation)
        if is_unknown(key):
            return Unknown(self.name)
        return self.members[key] if key in self.members else site.fail(KeyError(key))

    def iterate(self, site: Site) -> Iterable[Value]:
        return list(dict.fromkeys(self.members.values()))

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        if name == "len":
            return len(dict.fromkeys(self.members.values()))
        return super().builtin(name, arguments, site)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator == "in" and reflected:
            return other in self.members.values()
        return super().binary(operator, other, reflected, site)

    def _member(self, name: str, value: Value, site: Operation) -> EnumMember:
        if isinstance(value, enum.auto):
            value = self._next_value(name)
        for member in self.members.values():
            if type(member.value) is type(value) and equal(member.value, value, site) is True:
                return member
        member = EnumMember(self, name, value)
        initialise = self.find("__init__")
        if isinstance(initialise, UserFunction):
            items = value if isinstance(value, tuple) else (value,)
            site.call(initialise, Arguments((member, *items)))
        return member

    def _next_value(self, name: str) -> Value:
        if any(issubclass(base, str) for base in self.native_types):
            return name.lower()
        numbers = [member.value for member in self.members.values() if isinstance(member.value, int)]
        if self.is_flag:
            return 1 << max((number.bit_length() for number in numbers), default=0)
        return max(numbers, default=0) + 1


class EnumMember(Instance):
    """A member; behaves as its value where the class mixes in a native type."""

    user_class: EnumClass

    def __init__(self, user_class: EnumClass, name: str, value: Value) -> None:
        super().__init__(user_class)
        self.name = name
        self.value = value

    def get_attribute(self, name: str, site: Site) -> Value:
        if name in ("name", "_name_"):
            return self.name
        if name in ("value", "_value_"):
            return self.value
        return super().get_attribute(name, site)

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        if name == "_value_":
            self.value = value
        else:
            super().set_attribute(name, value, site)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        assert isinstance(site, Operation)
        mine, theirs = self.value, other.value if isinstance(other, EnumMember) else other
        left, right = (theirs, mine) if reflected else (mine, theirs)
        if self.user_class.is_flag and operator in _FLAG_OPERATORS and isinstance(other, EnumMember):
            return site.call(self.user_class, Arguments((binary(operator, left, right, site),)))
        if self.user_class.mixes_value and operator not in ("is", "is not", "in"):
            return binary(operator, left, right, site)
        return super().binary(operator, other, reflected, site)

    def unary(self, operator: str, site: Site) -> Value:
        assert isinstance(site, Operation)
        if self.user_class.mixes_value:
            return unary(operator, self.value, site)
        return super().unary(operator, site)

    def truth(self, site: Site) -> bool | None:
        if self.user_class.mixes_value or self.user_class.is_flag:
            return None if is_unknown(self.value) else bool(self.value)
        return super().truth(site)

    def describe(self) -> str:
        return f"{self.user_class.name}.{self.name}"

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        if self.user_class.mixes_value and name in ("int", "str", "float", "__index__", "abs", "len"):
            positional = tuple(self.value if value is self else value for value in arguments.positional)
            return self.value if name == "__index__" else site.call(_CONVERSIONS[name], Arguments(positional))
        if name in ("str", "repr", "format") and self.method("__str__") is None:
            return self.describe() if name != "repr" else f"<{self.describe()}: {self.value!r}>"
        return super().builtin(name, arguments, site)


_CONVERSIONS: dict[str, Any] = {"int": int, "str": str, "float": float, "abs": abs, "len": len}


def _is_member(name: str, value: Value) -> bool:
    if name.startswith("_"):
        return False
    return not isinstance(value, (UserFunction, UserClass, Builtin)) and not hasattr(value, "function")
