"""Structures of a kernel: `pl.struct` and `pl.struct_array` (mutable), `pl.make_tuple` (fixed)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import scalar
from ..dtype import DType
from ..evaluate.site import Site
from ..evaluate.values import Abstract, Unsupported, Value, is_unknown
from ..scalar import Scalar, ScalarLike
from .cells import Cell, choose, store
from .current import tracer
from .scalars import as_value, describe, dtype_of, is_scalar, lower

Field = Cell | list[Cell]


def make_fields(values: Mapping[str, Value]) -> dict[str, Field]:
    """Fields of a structure from their first values; a list makes an array field."""
    fields: dict[str, Field] = {}
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            fields[name] = [_cell(f"{name}{index}", item) for index, item in enumerate(value)]
        else:
            fields[name] = _cell(name, value)
    return fields


def _cell(name: str, value: Value) -> Cell:
    if not is_scalar(value):
        raise Unsupported(f"field '{name}' of a structure must be a scalar, not {describe(value)}")
    return tracer().cell(name, lower(value), dtype_of(value))


class Struct(Abstract):
    """`elements[index]`: a structure, or one of a `pl.struct_array`."""

    type_name = "struct"

    def __init__(self, elements: Sequence[dict[str, Field]], index: ScalarLike = 0) -> None:
        self.elements = tuple(elements)
        self.index = index

    def get_attribute(self, name: str, site: Site) -> Value:
        field = self.elements[0].get(name)
        if field is None:
            raise Unsupported(f"the structure has no field '{name}'; it has {', '.join(self.elements[0])}")
        if isinstance(field, list):
            return ArrayField(self, name)
        return _load(self.cells(name), self.index)

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        if name not in self.elements[0]:
            raise Unsupported(f"the structure has no field '{name}'; it has {', '.join(self.elements[0])}")
        if is_unknown(value):
            return
        if isinstance(value, (list, tuple)):
            field = ArrayField(self, name)
            for position, item in enumerate(value[: field.length]):
                field.set_item(position, item, site)
            return
        store(self.cells(name), self.index, lower(value))

    def cells(self, name: str, position: int | None = None) -> list[Cell]:
        """The cell of a field in each element; of an array field, that at `position`."""
        found: list[Cell] = []
        for element in self.elements:
            field = element[name]
            found.append(field if isinstance(field, Cell) else field[position or 0])
        return found

    def snapshot(self, cells: Sequence[Cell]) -> Cell:
        """What the chosen one of `cells` holds now."""
        return Cell(cells[0].name, choose(self.index, [cell.value for cell in cells]), cells[0].dtype)

    def describe(self) -> str:
        return f"struct({', '.join(self.elements[0])})"


def _load(cells: Sequence[Cell], index: ScalarLike) -> Value:
    return as_value(choose(index, [cell.value for cell in cells]), cells[0].dtype)


class ArrayField(Abstract):
    """An array within a structure."""

    type_name = "array field"

    def __init__(self, owner: Struct, name: str) -> None:
        self.owner = owner
        self.name = name
        field = owner.elements[0][name]
        self.length = len(field) if isinstance(field, list) else 1

    def get_item(self, key: Value, site: Site) -> Value:
        if is_unknown(key):
            return key
        values = [
            choose(self.owner.index, [cell.value for cell in self.owner.cells(self.name, position)])
            for position in range(self.length)
        ]
        return as_value(choose(_checked(key, self.length), values), self._dtype())

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        if is_unknown(key) or is_unknown(value):
            return
        index = _checked(key, self.length)
        if not isinstance(index, Scalar):
            store(self.owner.cells(self.name, int(index)), self.owner.index, lower(value))
            return
        for position in range(self.length):
            cells = self.owner.cells(self.name, position)
            here = scalar.apply("eq", index, position)
            kept = choose(self.owner.index, [cell.value for cell in cells])
            store(cells, self.owner.index, scalar.apply("select", here, lower(value), kept))

    def _dtype(self) -> DType:
        return self.owner.cells(self.name, 0)[0].dtype


def _checked(key: Value, length: int) -> ScalarLike:
    index = lower(key)
    if not isinstance(index, Scalar) and not 0 <= int(index) < length:
        raise Unsupported(f"index {index} is outside 0..{length - 1}")
    return index


class StructArray(Abstract):
    """`pl.struct_array`: its elements share their storage with whoever reads them."""

    type_name = "struct array"

    def __init__(self, elements: Sequence[dict[str, Field]]) -> None:
        self.elements = tuple(elements)

    def get_item(self, key: Value, site: Site) -> Value:
        if is_unknown(key):
            return key
        index = _checked(key, len(self.elements))
        return Struct(self.elements, tracer().hold("element", index) if isinstance(index, Scalar) else index)

    def builtin(self, name: str, arguments: object, site: Site) -> Value:
        if name == "len":
            return len(self.elements)
        raise Unsupported(f"{name}() of a struct array")


class NamedTuple(Abstract):
    """`pl.make_tuple`: fixed values under names."""

    type_name = "named tuple"

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = dict(values)

    def get_attribute(self, name: str, site: Site) -> Value:
        if name not in self.values:
            raise Unsupported(f"the tuple has no field '{name}'; it has {', '.join(self.values)}")
        return self.values[name]

    def get_item(self, key: Value, site: Site) -> Value:
        if is_unknown(key):
            return key
        return pick(tuple(self.values.values()), key)

    def describe(self) -> str:
        return f"tuple({', '.join(self.values)})"


def pick(items: Sequence[Value], key: Value) -> Value:
    """`items[key]`, where run time may decide `key`."""
    from .merging import choose_value

    index = lower(key)
    if isinstance(index, Scalar):
        return choose_value(tracer().hold("choice", index), items)
    return items[int(index)]
