"""The enumerations of `pypto`: `DataType.DT_FP16`, `CastMode.CAST_RINT`, `pypto.DYNAMIC`, ..."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..dtype import BY_NAME, DType
from ..evaluate.values import Abstract, Unsupported, Value
from . import api

if TYPE_CHECKING:
    from ..evaluate.site import Site


class EnumMember(Abstract):
    """One member; `value` counts from 0 in the order of the declaration, as in the official headers."""

    def __init__(self, enumeration: str, name: str, value: int) -> None:
        self.enumeration = enumeration
        self.name = name
        self.value = value
        self.type_name = enumeration

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnumMember) and (self.enumeration, self.name) == (other.enumeration, other.name)

    def __hash__(self) -> int:
        return hash((self.enumeration, self.name))

    def __repr__(self) -> str:
        return f"{self.enumeration}.{self.name}"

    __str__ = __repr__

    @property
    def dtype(self) -> DType | None:
        """The element type that a member of `DataType` names; None where it names none that a kernel can hold."""
        return BY_NAME.get(self.name) if self.enumeration == "DataType" else None

    def describe(self) -> str:
        return repr(self)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator in ("==", "!="):
            return (self == other) == (operator == "==")
        raise Unsupported(f"{self.enumeration} does not support '{operator}'")

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "name":
            return self.name
        if name == "value":
            return self.name if self.enumeration == "StatusType" else self.value
        return super().get_attribute(name, site)


class Enumeration(Abstract):
    """An enumeration itself, `pypto.DataType`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.type_name = name

    def get_attribute(self, name: str, site: Site) -> Value:
        if name in api.enumerations()[self.name]:
            return member(self.name, name)
        if name.startswith("__"):
            return super().get_attribute(name, site)
        guess = api.nearest(name, api.enumerations()[self.name])
        raise Unsupported(f"{self.name} has no member '{name}'" + (f"; did you mean '{guess}'?" if guess else ""))

    def describe(self) -> str:
        return f"enumeration {self.name}"


@cache
def member(enumeration: str, name: str) -> EnumMember:
    """A member by name; ValueError where there is none."""
    return EnumMember(enumeration, name, api.enumerations()[enumeration].index(name))


def of_dtype(dtype: DType) -> EnumMember:
    """The member of `DataType` that names `dtype`."""
    return member("DataType", dtype.name)


EXPORTED = ("DataType", "StatusType", "DequantScaleRoundingMode")
"""Enumerations whose members `pypto` also has as names of its own: `pypto.DT_FP16`, `pypto.DYNAMIC`."""


def exported(name: str) -> EnumMember | None:
    """The member that `pypto.<name>` is, None where it is no member."""
    for enumeration in EXPORTED:
        if name in api.enumerations()[enumeration]:
            return member(enumeration, name)
    return None
