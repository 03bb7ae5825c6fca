"""What each name of a kernel held where it was assigned: for hovers and inlay hints of an editor."""

from __future__ import annotations

from dataclasses import dataclass

from ..dtype import DType
from ..evaluate.values import Value, is_unknown
from ..origin import Origin
from ..scalar import ScalarLike
from .call import describe
from .tensor import Tensor


@dataclass(frozen=True, slots=True)
class AssignedValue:
    """A value at the name it was assigned to; `shape` and `dtype` are those of a tensor, None for anything else."""

    name: str
    origin: Origin
    description: str
    shape: tuple[ScalarLike, ...] | None = None
    dtype: DType | None = None


class Record:
    """Collects assignments, the last one of each place: a loop that unrolls assigns the same name again and again."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, Origin], AssignedValue] = {}
        self.names: dict[int, str] = {}
        """By logical tensor, the first name that held it."""

    def add(self, name: str, value: Value, origin: Origin) -> None:
        if is_unknown(value):
            return
        storage = value.storage if isinstance(value, Tensor) else None
        if storage is not None:
            self.names.setdefault(storage.id, name)
        shape = storage.shape if storage is not None else None
        dtype = storage.dtype if storage is not None else None
        self._values[name, origin] = AssignedValue(name, origin, describe(value), shape, dtype)

    def values(self) -> list[AssignedValue]:
        """In the order in which the places were first reached."""
        return list(self._values.values())
