"""Element types of torch and numpy under their own names."""

from __future__ import annotations

from dataclasses import dataclass

from ..natives import is_concrete
from ..site import Site
from ..values import Abstract, Arguments, Unknown, Value

_FLOATS = (
    "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn_x2", "float16", "bfloat16", "float32", "float64",
)  # fmt: skip
_INTEGERS = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
_COMPLEX = ("complex64", "complex128")
NAMES = (*_INTEGERS, *_FLOATS, *_COMPLEX)

ALIASES = {
    "half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32", "long": "int64",
    "bool_": "bool", "single": "float32",
}  # fmt: skip
_OF_PYTHON = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}


@dataclass(frozen=True)
class ElementType(Abstract):
    """`torch.float16`, `np.int32`: `library` is "torch" or "numpy", `name` the full name."""

    library: str
    name: str

    type_name = "dtype"

    @property
    def is_float(self) -> bool:
        return self.name in _FLOATS

    @property
    def bits(self) -> int:
        """Storage width of one element."""
        if self.name == "bool":
            return 8
        digits = "".join(character for character in self.name.split("_")[0] if character.isdigit())
        return int(digits or "32")

    def get_attribute(self, name: str, site: Site) -> Value:
        known = {"itemsize": self.bits // 8, "is_floating_point": self.is_float, "name": self.name}
        return known.get(name, Unknown(name))

    def call(self, arguments: Arguments, site: Site) -> Value:
        """A numpy scalar, as the plain number that it holds."""
        value = arguments.positional[0] if arguments.positional else 0
        if not is_concrete(value) or not isinstance(value, (int, float, bool)):
            return Unknown(self.name)
        return bool(value) if self.name == "bool" else float(value) if self.is_float else int(value)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator in ("==", "!="):
            same = isinstance(other, ElementType) and other.name == self.name
            return same == (operator == "==")
        return super().binary(operator, other, reflected, site)

    def describe(self) -> str:
        return f"{self.library}.{self.name}"


def element_type(library: str, value: Value) -> ElementType | None:
    """The element type that an argument `dtype=value` means; None where it is not known."""
    if isinstance(value, ElementType):
        return ElementType(library, value.name)
    if isinstance(value, type) and value in _OF_PYTHON:
        return default_type(library, value)
    if isinstance(value, str) and ALIASES.get(value, value) in NAMES:
        return ElementType(library, ALIASES.get(value, value))
    return None


def default_type(library: str, kind: type) -> ElementType | None:
    """What a Python number of this kind becomes in an array."""
    name = _OF_PYTHON.get(kind)
    if name is None:
        return None
    return ElementType(library, "float64" if library == "numpy" and name == "float32" else name)


def promoted(left: ElementType | None, right: ElementType | None) -> ElementType | None:
    """The element type of an operation on both; None where it is not known."""
    if left is None or right is None:
        return None
    if left.name == right.name:
        return left
    ranks = {name: rank for rank, name in enumerate(NAMES)}
    if {left.name, right.name} == {"float16", "bfloat16"}:
        return ElementType(left.library, "float32")
    return max(left, right, key=lambda kind: ranks[kind.name])
