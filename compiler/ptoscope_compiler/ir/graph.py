"""The graph that every Tensor-mode pass reads and writes: operations over logical tensors.

The vocabulary is the official one (`framework/src/interface/tensor/{raw_tensor,logical_tensor}.h` and
`framework/src/interface/operation/operation.h` of hicann/pypto): a raw tensor is storage, a logical tensor a window of
it.
Nothing here is changed after the graph that holds it is returned from a pass: passes build new objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from ..dtype import DType
from ..hardware import MemorySpace
from ..origin import Origin
from ..scalar import ScalarLike

_NO_ATTRIBUTES: Mapping[str, Any] = {}


@dataclass(slots=True, eq=False)
class RawTensor:
    """Storage: `shape` in elements, a dimension being a scalar where it is known only at run time.

    `parameter` marks storage that the caller owns; everything else in global memory is workspace. A raw tensor with
    `storage` is another view of that storage: it starts `base` elements in, with `strides` elements per axis (None:
    dense, last axis innermost).
    """

    id: int
    shape: tuple[ScalarLike, ...]
    dtype: DType
    name: str = ""
    format: str = "ND"
    parameter: bool = False
    storage: RawTensor | None = None
    base: ScalarLike = 0
    strides: tuple[ScalarLike, ...] | None = None


@dataclass(slots=True, eq=False)
class LogicalTensor:
    """A window of a raw tensor: `offset` and `shape` in elements per axis, `valid_shape` the part that holds data."""

    id: int
    raw: RawTensor
    shape: tuple[ScalarLike, ...]
    offset: tuple[ScalarLike, ...]
    valid_shape: tuple[ScalarLike, ...]
    memory: MemorySpace | None = None
    address: int | None = None

    @property
    def dtype(self) -> DType:
        return self.raw.dtype

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, slots=True)
class CubeTile:
    """`pypto.set_cube_tile_shapes`: (L0, L1) per axis; `k` has a third entry, the L1 tile of B (A's if unset)."""

    m: tuple[int, int]
    k: tuple[int, int, int]
    n: tuple[int, int]
    split_k: bool = False


@dataclass(frozen=True, slots=True)
class TileShapes:
    """Tile shapes and pass options in force where an operation was made; None where unset.

    `origins` holds the places that set them, for diagnostics: keys "vector" and "cube".
    """

    vector: tuple[int, ...] | None = None
    cube: CubeTile | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Operation:
    """One operation. `attributes` uses the official attribute names (`op_attr_AXIS`, `SCALAR`, ...) where they exist.

    VIEW and SLICE carry `offset` (per axis of the input), ASSEMBLE and CONTRACT `offset` (per axis of the output).
    """

    id: int
    opcode: str
    inputs: tuple[LogicalTensor, ...]
    outputs: tuple[LogicalTensor, ...]
    attributes: Mapping[str, Any]
    origin: Origin
    tiles: TileShapes = TileShapes()
    label: str = ""
    subgraph: int = -1

    def attribute(self, name: str, default: Any = None) -> Any:
        return self.attributes.get(name, default)

    def with_tensors(self, inputs: tuple[LogicalTensor, ...], outputs: tuple[LogicalTensor, ...]) -> Operation:
        """The same operation over other tensors."""
        return Operation(
            self.id,
            self.opcode,
            inputs,
            outputs,
            self.attributes,
            self.origin,
            self.tiles,
            self.label,
            self.subgraph,
        )


_Part = TypeVar("_Part", RawTensor, LogicalTensor, Operation)


def changed(part: _Part, **fields: Any) -> _Part:
    """A copy of a tensor or operation with other `fields`: `dataclasses.replace` in half its time."""
    made = object.__new__(type(part))
    for name in part.__slots__:
        setattr(made, name, fields[name] if name in fields else getattr(part, name))
    return made


class Graph:
    """Operations in a topological order, and the tensors through which the graph meets the outside.

    `inputs` (incasts) and `outputs` (outcasts) are logical tensors in global memory. `stage` is one of "tensor",
    "tile", "block", "execute".
    """

    __slots__ = ("_consumers", "_producers", "inputs", "name", "operations", "outputs", "stage")

    def __init__(
        self,
        name: str,
        operations: Iterable[Operation],
        inputs: Iterable[LogicalTensor],
        outputs: Iterable[LogicalTensor],
        stage: str = "tensor",
    ) -> None:
        self.name = name
        self.operations = tuple(operations)
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.stage = stage
        self._producers: dict[int, list[Operation]] | None = None
        self._consumers: dict[int, list[Operation]] | None = None

    def _link(self) -> None:
        producers: dict[int, list[Operation]] = {}
        consumers: dict[int, list[Operation]] = {}
        for operation in self.operations:
            for tensor in operation.outputs:
                producers.setdefault(tensor.id, []).append(operation)
            for tensor in dict.fromkeys(operation.inputs):
                consumers.setdefault(tensor.id, []).append(operation)
        self._producers, self._consumers = producers, consumers

    def producers(self, tensor: LogicalTensor) -> list[Operation]:
        """Operations that write `tensor`; several where tiles are assembled into it."""
        if self._producers is None:
            self._link()
        assert self._producers is not None
        return self._producers.get(tensor.id, [])

    def consumers(self, tensor: LogicalTensor) -> list[Operation]:
        """Operations that read `tensor`, each once."""
        if self._consumers is None:
            self._link()
        assert self._consumers is not None
        return self._consumers.get(tensor.id, [])

    def tensors(self) -> list[LogicalTensor]:
        """Every logical tensor, in order of first appearance."""
        seen: dict[int, LogicalTensor] = {tensor.id: tensor for tensor in self.inputs}
        for operation in self.operations:
            for tensor in (*operation.inputs, *operation.outputs):
                seen.setdefault(tensor.id, tensor)
        for tensor in self.outputs:
            seen.setdefault(tensor.id, tensor)
        return list(seen.values())


class Builder:
    """Makes tensors and operations with ids that are unique within one kernel compilation."""

    def __init__(self, start: int = 1) -> None:
        self._ids = count(start)

    def raw(self, shape: Iterable[ScalarLike], dtype: DType, name: str = "", **fields: Any) -> RawTensor:
        return RawTensor(next(self._ids), tuple(shape), dtype, name, **fields)

    def tensor(
        self,
        raw: RawTensor,
        shape: Iterable[ScalarLike] | None = None,
        offset: Iterable[ScalarLike] | None = None,
        valid_shape: Iterable[ScalarLike] | None = None,
        memory: MemorySpace | None = None,
    ) -> LogicalTensor:
        extent = raw.shape if shape is None else tuple(shape)
        start = (0,) * len(extent) if offset is None else tuple(offset)
        valid = extent if valid_shape is None else tuple(valid_shape)
        return LogicalTensor(next(self._ids), raw, extent, start, valid, memory)

    def new(self, shape: Iterable[ScalarLike], dtype: DType, name: str = "", **fields: Any) -> LogicalTensor:
        """A logical tensor over the whole of a new raw tensor; `fields` as in `tensor`."""
        return self.tensor(self.raw(shape, dtype, name), **fields)

    def operation(
        self,
        opcode: str,
        inputs: Iterable[LogicalTensor],
        outputs: Iterable[LogicalTensor],
        origin: Origin,
        attributes: Mapping[str, Any] = _NO_ATTRIBUTES,
        tiles: TileShapes = TileShapes(),
        label: str = "",
        subgraph: int = -1,
    ) -> Operation:
        return Operation(
            next(self._ids), opcode, tuple(inputs), tuple(outputs), attributes, origin, tiles, label, subgraph
        )
