"""What a kernel file declares with `pl`: element types, enumerations, tile types, parameter annotations.

These objects live in two worlds: the evaluator reads them as values, and the user's process holds the very same
objects at import time. So each has plain Python attributes, and `get_attribute` only forwards to them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..dtype import BY_NAME, DType, Kind
from ..evaluate.site import Site
from ..evaluate.values import Abstract, Arguments, Builtin, Unsupported, Value, is_unknown


class Declaration(Abstract):
    """A value whose attributes are Python attributes; `exposed` lists those that a kernel may read."""

    exposed: frozenset[str] = frozenset()

    def get_attribute(self, name: str, site: Site) -> Value:
        if name not in self.exposed:
            raise Unsupported(f"{self.type_name} has no attribute '{name}'")
        found = getattr(self, name)
        return Function(name, found) if callable(found) and not isinstance(found, Abstract) else found

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if is_unknown(other):
            return other
        if operator == "==":
            return self == other
        if operator == "!=":
            return self != other
        raise Unsupported(f"{self.type_name} does not support '{operator}'")


class Function(Builtin):
    """A Python function that works alike in the evaluator and in the user's process."""

    def __init__(self, name: str, implementation: Callable[..., Any]) -> None:
        super().__init__(name)
        self.implementation = implementation

    def __call__(self, *positional: Any, **keywords: Any) -> Any:
        return self.implementation(*positional, **keywords)

    def call(self, arguments: Arguments, site: Site) -> Value:
        for value in (*arguments.positional, *dict(arguments.keywords).values()):
            if is_unknown(value):
                return value
        try:
            return self.implementation(*arguments.positional, **dict(arguments.keywords))
        except (TypeError, ValueError) as error:
            raise Unsupported(str(error)) from error


@dataclass(frozen=True, eq=False)
class Member(Declaration):
    """One value of an enumeration, such as `pl.MemorySpace.Vec`."""

    enumeration: str
    name: str
    value: int

    type_name = "enumeration member"
    exposed = frozenset({"name", "value"})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Member) and (self.enumeration, self.name) == (other.enumeration, other.name)

    def __hash__(self) -> int:
        return hash((self.enumeration, self.name))

    def __int__(self) -> int:
        return self.value

    def __repr__(self) -> str:
        return f"{self.enumeration}.{self.name}"

    def describe(self) -> str:
        return repr(self)


class Enumeration(Declaration):
    """A set of members, read as attributes."""

    type_name = "enumeration"

    def __init__(self, name: str, members: Sequence[str]) -> None:
        self.name = name
        self.members = {member: Member(name, member, index) for index, member in enumerate(members)}

    def __getattr__(self, name: str) -> Member:
        members: dict[str, Member] = self.__dict__.get("members", {})
        if name not in members:
            raise AttributeError(f"{self.__dict__.get('name')} has no member '{name}'")
        return members[name]

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members.values())

    def __repr__(self) -> str:
        return self.name

    def get_attribute(self, name: str, site: Site) -> Value:
        if name not in self.members:
            raise Unsupported(f"{self.name} has no member '{name}'; it has {', '.join(self.members)}")
        return self.members[name]

    def iterate(self, site: Site) -> Iterable[Value]:
        return self

    def describe(self) -> str:
        return self.name


def load_enumerations() -> dict[str, Enumeration]:
    """Every enumeration of `pl`, by name. Members and order: `framework/include/ir/op_attr_types.h` of hicann/pypto."""
    text = (Path(__file__).parent / "api" / "enumerations.json").read_text(encoding="utf-8")
    return {name: Enumeration(name, members) for name, members in json.loads(text).items()}


ENUMERATIONS = load_enumerations()


@dataclass(frozen=True, eq=False)
class ElementType(Declaration):
    """An element type of `pl`, such as `pl.DT_FP16`."""

    dtype: DType

    type_name = "element type"
    exposed = frozenset(
        {"bits", "get_bit", "is_float", "is_int", "is_signed_int", "is_unsigned_int", "to_string", "to_c_type_string"}
    )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ElementType) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"pl.{self.dtype.name}"

    def bits(self) -> int:
        return self.dtype.bits

    get_bit = bits

    def is_float(self) -> bool:
        return self.dtype.is_float

    def is_int(self) -> bool:
        return self.dtype.is_integer

    def is_signed_int(self) -> bool:
        return self.dtype.kind is Kind.SIGNED

    def is_unsigned_int(self) -> bool:
        return self.dtype.kind is Kind.UNSIGNED

    def to_string(self) -> str:
        return self.dtype.name.removeprefix("DT_").lower()

    def to_c_type_string(self) -> str:
        return _C_TYPES.get(self.dtype.name, self.to_string())

    def describe(self) -> str:
        return repr(self)


_C_TYPES = {
    **{f"DT_{sign}INT{bits}": f"{sign.lower()}int{bits}_t" for sign in ("", "U") for bits in (8, 16, 32, 64)},
    "DT_BOOL": "bool",
    "DT_FP16": "half",
    "DT_BF16": "bfloat16_t",
    "DT_FP32": "float",
    "DT_FP8E4M3": "float8_e4m3_t",
    "DT_FP8E5M2": "float8_e5m2_t",
    "DT_FP8E8M0": "float8_e8m0_t",
    "DT_HF8": "hifloat8_t",
}  # C names of Pro mode's generated code, `framework/src/interface/pypto_pro/codegen/cce` of hicann/pypto

_PRO_NAMES = (
    *("FP8E4M3FN", "FP8E5M2", "FP8E8M0", "FP4E2M1", "FP4E1M2", "FP16", "FP32", "BF16", "HF4", "HF8", "BOOL"),
    *(f"{sign}INT{bits}" for sign in ("", "U") for bits in (4, 8, 16, 32, 64)),
)
ELEMENT_TYPES = {f"DT_{name}": ElementType(BY_NAME[f"DT_{name}"]) for name in _PRO_NAMES}
ELEMENT_TYPES["DT_FP4"] = ELEMENT_TYPES["DT_FP4E2M1"]


@dataclass(frozen=True)
class DimensionPolicy(Declaration):
    """`pl.DYNAMIC` (known at launch only) or `pl.STATIC` (one compilation per value)."""

    name: str

    type_name = "dimension policy"

    def __repr__(self) -> str:
        return f"pl.{self.name}"


DYNAMIC = DimensionPolicy("DYNAMIC")
STATIC = DimensionPolicy("STATIC")


@dataclass(frozen=True)
class TileDeclaration(Declaration):
    """`pl.TileType(...)`: what `make_tile` makes a tile of. Layout None is the default of the space and target."""

    shape: tuple[int, ...]
    dtype: ElementType
    target_memory: Member
    valid_shape: tuple[Any, ...] | None = None
    layout: Member | None = None
    fractal: int | None = None
    pad: Member | int | None = None
    compact: int | None = None

    type_name = "TileType"
    exposed = frozenset({"shape", "dtype", "target_memory", "valid_shape", "layout", "fractal", "pad", "compact"})

    def describe(self) -> str:
        extents = ", ".join(map(str, self.shape))
        return f"TileType([{extents}], {self.dtype!r}, {self.target_memory!r})"


def tile_type(
    shape: Sequence[int],
    dtype: ElementType,
    target_memory: Member = ENUMERATIONS["MemorySpace"].members["Vec"],
    valid_shape: Sequence[Any] | None = None,
    layout: Member | None = None,
    fractal: int | None = None,
    pad: Member | int | None = None,
    compact: int | None = None,
) -> TileDeclaration:
    """The constructor `pl.TileType`. TypeError where an argument has the wrong kind."""
    if not isinstance(dtype, ElementType):
        raise TypeError(f"TileType dtype must be a pl.DT_* element type, not {dtype!r}")
    if not isinstance(target_memory, Member) or target_memory.enumeration != "MemorySpace":
        raise TypeError(f"TileType target_memory must be a pl.MemorySpace, not {target_memory!r}")
    valid = None if valid_shape is None else tuple(valid_shape)
    return TileDeclaration(tuple(shape), dtype, target_memory, valid, layout, fractal, pad, compact)


@dataclass(frozen=True)
class TensorAnnotation(Declaration):
    """`pl.Tensor[[dims], dtype, layout]` on a parameter; a dimension is an int, a policy or (last) Ellipsis."""

    shape: tuple[Any, ...]
    dtype: ElementType
    layout: Member | None = None

    type_name = "Tensor annotation"

    def describe(self) -> str:
        return f"Tensor[{list(self.shape)}, {self.dtype!r}]"


@dataclass(frozen=True)
class PointerAnnotation(Declaration):
    """`pl.Ptr[dtype]` on a parameter."""

    dtype: ElementType

    type_name = "Ptr annotation"


class AnnotationFactory(Declaration):
    """`pl.Tensor`, `pl.Ptr`, `pl.Tile`, `pl.Scalar`: subscripted to annotate a parameter."""

    type_name = "annotation"

    def __init__(self, name: str, build: Callable[[tuple[Any, ...]], Any]) -> None:
        self.name = name
        self.build = build

    def __getitem__(self, key: Any) -> Any:
        return self.build(key if isinstance(key, tuple) else (key,))

    def get_item(self, key: Value, site: Site) -> Value:
        parts = key if isinstance(key, tuple) else (key,)
        unknown = next((part for part in parts if is_unknown(part)), None)
        return unknown if unknown is not None else self.build(parts)


def _tensor_annotation(parts: tuple[Any, ...]) -> Any:
    if len(parts) < 2:
        raise Unsupported("pl.Tensor[...] needs a shape and an element type")
    layout = next((part for part in parts[2:] if isinstance(part, Member)), None)
    return TensorAnnotation(tuple(parts[0]), parts[1], layout)


ANNOTATIONS = {
    "Tensor": AnnotationFactory("Tensor", _tensor_annotation),
    "Ptr": AnnotationFactory("Ptr", lambda parts: PointerAnnotation(parts[0])),
    "Tile": AnnotationFactory("Tile", lambda parts: None),
    "Scalar": AnnotationFactory("Scalar", lambda parts: parts[0]),
}
