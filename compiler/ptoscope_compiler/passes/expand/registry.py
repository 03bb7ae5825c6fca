"""The rule of each opcode, and the tile graph that rules write into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from ...dtype import DType
from ...hardware import MemorySpace
from ...ir.graph import Builder, LogicalTensor, Operation
from ...scalar import ScalarLike
from ..windows import Extents, Window

Operand = LogicalTensor | Window
Rule = Callable[["Expansion", Operation], None]

RULES: dict[str, Rule] = {}


def expands(*opcodes: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the expansion of `opcodes`."""

    def register(rule: Rule) -> Rule:
        for opcode in opcodes:
            RULES[opcode] = rule
        return rule

    return register


class MissingTile(Exception):
    """An operation has no tile shape, or one of too low a rank."""


def tile_of(operation: Operation, rank: int) -> Extents:
    """The vector tile of `operation`, one entry per axis; MissingTile where it is unset or too short."""
    tile = operation.tiles.vector
    if tile is None or len(tile) < rank:
        raise MissingTile(operation.opcode)
    return tile


def extents(tensor: LogicalTensor) -> Extents:
    """The shape of a tensor that an expansion may loop over: every dimension is known."""
    assert all(isinstance(extent, int) for extent in tensor.shape), tensor.shape
    return tensor.shape  # type: ignore[return-value]


def blocks(shape: Sequence[int], tile: Sequence[int]) -> Iterator[tuple[Extents, Extents]]:
    """(shape, offset) of the tiles of `shape`, the last axis fastest; tail tiles are smaller."""
    axes = [
        [(min(extent - start, step), start) for start in range(0, extent, step)]
        for extent, step in zip(shape, tile, strict=False)
    ]
    for cells in product(*axes):
        yield tuple(cell[0] for cell in cells), tuple(cell[1] for cell in cells)


def align(value: int, to: int) -> int:
    """`value` rounded up to a multiple of `to`."""
    return -(-value // to) * to


class Expansion:
    """The tile graph of one Tensor Graph while it is written.

    `slices` chooses how windows are written: as SLICE and CONTRACT (copies), or as VIEW and ASSEMBLE (aliases).
    """

    def __init__(self, builder: Builder, slices: bool, combine_axis: bool, architecture: str) -> None:
        self.builder = builder
        self.slices = slices
        self.combine_axis = combine_axis
        self.architecture = architecture
        self.operations: list[Operation] = []
        self._source: Operation | None = None

    def expand(self, operation: Operation, rule: Rule) -> None:
        """Write what `operation` becomes; every operation written carries its origin, tiles and label."""
        self._source = operation
        rule(self, operation)

    def keep(self, operation: Operation) -> None:
        """Take an operation over as it is."""
        self.operations.append(operation)

    def window(self, tensor: LogicalTensor, shape: Extents, offset: Extents) -> Window:
        return Window(tensor, shape, offset)

    def temporary(self, shape: Iterable[ScalarLike], dtype: DType) -> LogicalTensor:
        """A scratch or intermediate tensor of its own storage."""
        return self.builder.new(shape, dtype)

    def like(self, tensor: LogicalTensor, dtype: DType | None = None) -> LogicalTensor:
        """A fresh tensor with the shape and the valid shape of `tensor`."""
        return self.builder.new(tensor.shape, dtype or tensor.dtype, valid_shape=tensor.valid_shape)

    def emit(
        self,
        opcode: str,
        inputs: Sequence[Operand],
        outputs: Sequence[Operand],
        attributes: Mapping[str, Any] | None = None,
    ) -> Operation:
        """One operation on tiles, with the moves that cut its inputs out and put its outputs back."""
        read = [self._read(operand) for operand in inputs]
        written = [self._tile(operand) for operand in outputs]
        source = self._source
        assert source is not None
        made = self.raw(opcode, read, written, source.attributes if attributes is None else attributes)
        for operand, tensor in zip(outputs, written, strict=True):
            if isinstance(operand, Window):
                opcode = "CONTRACT" if self.slices else "ASSEMBLE"
                self.raw(opcode, (tensor,), (operand.parent,), {"offset": operand.offset})
        return made

    def cut(
        self,
        window: Window,
        tile: LogicalTensor,
        to: MemorySpace | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """The move that fills `tile` from `window`, into memory `to` where that is fixed."""
        details = {"offset": window.offset, **(attributes or {})}
        if to is not None:
            details["to"] = to
        self.raw("SLICE" if self.slices else "VIEW", (window.parent,), (tile,), details)

    def raw(
        self,
        opcode: str,
        inputs: Sequence[LogicalTensor],
        outputs: Sequence[LogicalTensor],
        attributes: Mapping[str, Any],
    ) -> Operation:
        """One operation on whole tensors."""
        source = self._source
        assert source is not None
        made = self.builder.operation(
            opcode, inputs, outputs, source.origin, attributes, source.tiles, source.label, source.subgraph
        )
        self.operations.append(made)
        return made

    def _read(self, operand: Operand) -> LogicalTensor:
        if isinstance(operand, LogicalTensor):
            return operand
        if operand.tensor is None:
            tile = self._tile(operand)
            self.cut(operand, tile)
        assert operand.tensor is not None
        return operand.tensor

    def _tile(self, operand: Operand) -> LogicalTensor:
        if isinstance(operand, LogicalTensor):
            return operand
        if operand.tensor is None:
            raw = operand.parent.raw
            storage = self.builder.raw(operand.shape, raw.dtype, raw.name, format=raw.format)
            operand.tensor = self.builder.tensor(storage, valid_shape=operand.valid_shape)
        return operand.tensor
