"""`pypto.Element`: a number with an element type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dtype import DType
from ..evaluate.values import Abstract, Value
from .enums import of_dtype

if TYPE_CHECKING:
    from ..evaluate.site import Site


class Element(Abstract):
    """A constant of a given element type."""

    type_name = "Element"

    def __init__(self, dtype: DType, value: int | float) -> None:
        self.dtype = dtype
        self.value = value

    def describe(self) -> str:
        return f"Element {self.value} {self.dtype}"

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "dtype":
            return of_dtype(self.dtype)
        if name == "value":
            return self.value
        return super().get_attribute(name, site)
