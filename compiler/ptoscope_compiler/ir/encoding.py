"""Values of graphs (scalars, types, memories, attributes) as plain JSON values, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..dtype import BY_NAME, DType
from ..hardware import MemorySpace, Pipe
from ..origin import Origin, Span
from ..scalar import Scalar
from .graph import CubeTile, TileShapes
from .scalar_text import format_scalar, parse_scalar


@dataclass(frozen=True, slots=True)
class TypedNumber:
    """A constant with an element type, read back from JSON."""

    dtype: DType
    value: float


def encode(value: Any) -> Any:
    """`value` as JSON: numbers, strings, None and lists as they are, anything else as an object with one key."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Scalar):
        return {"scalar": format_scalar(value)}
    if isinstance(value, tuple):
        return {"tuple": [encode(item) for item in value]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, DType):
        return {"dtype": value.name}
    if isinstance(value, MemorySpace):
        return {"memory": value.value}
    if isinstance(value, Pipe):
        return {"pipe": value.value}
    if isinstance(getattr(value, "dtype", None), DType) and hasattr(value, "value"):
        return {"number": [value.dtype.name, value.value]}
    raise TypeError(f"no encoding for an attribute of type {type(value).__name__}")


def decode(value: Any) -> Any:
    """The inverse of `encode`."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "scalar":
        return parse_scalar(content)
    if kind == "tuple":
        return tuple(decode(item) for item in content)
    if kind == "dict":
        return {decode(key): decode(item) for key, item in content}
    if kind == "dtype":
        return BY_NAME[content]
    if kind == "memory":
        return MemorySpace(content)
    if kind == "pipe":
        return Pipe(content)
    if kind == "number":
        return TypedNumber(BY_NAME[content[0]], content[1])
    raise ValueError(f"unknown kind of value '{kind}'")


def encode_origin(origin: Origin) -> list[Any]:
    """The places from the innermost outwards: [file, line, column, end line, end column, function] each."""
    return [
        [
            place.span.file,
            place.span.line,
            place.span.column,
            place.span.end_line,
            place.span.end_column,
            place.function,
        ]
        for place in origin.chain()
    ]


def decode_origin(places: list[Any]) -> Origin:
    """The inverse of `encode_origin`."""
    origin: Origin | None = None
    for *span, function in reversed(places):
        origin = Origin(Span(*span), function, origin)
    if origin is None:
        raise ValueError("an origin needs a place")
    return origin


def encode_tiles(tiles: TileShapes) -> dict[str, Any]:
    """Tile shapes in force, and where they were set."""
    cube = tiles.cube
    return {
        "vector": None if tiles.vector is None else list(tiles.vector),
        "cube": None if cube is None else [list(cube.m), list(cube.k), list(cube.n), cube.split_k],
        "options": {name: encode(value) for name, value in tiles.options.items()},
        "origins": {name: encode_origin(origin) for name, origin in tiles.origins.items()},
    }


def decode_tiles(data: dict[str, Any]) -> TileShapes:
    """The inverse of `encode_tiles`."""
    cube = data["cube"]
    return TileShapes(
        None if data["vector"] is None else tuple(data["vector"]),
        None if cube is None else CubeTile(tuple(cube[0]), tuple(cube[1]), tuple(cube[2]), cube[3]),
        {name: decode(value) for name, value in data["options"].items()},
        {name: decode_origin(places) for name, places in data["origins"].items()},
    )
