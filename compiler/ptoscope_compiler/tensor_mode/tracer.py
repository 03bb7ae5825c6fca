"""The recorder of a kernel being traced: where operations go, and which tensors the region under way changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..dtype import DType
from ..ir.graph import Builder, LogicalTensor, Operation
from ..origin import Origin
from ..scalar import ScalarLike
from .bounds import Bounds
from .configuration import Configuration
from .region import Carry, Node, OperationNode

if TYPE_CHECKING:
    from ..targets import Target
    from .tensor import Tensor


@dataclass(slots=True)
class LoopFrame:
    """A loop whose body is being recorded: tensors from outside that it touched, each with its carry."""

    start: ScalarLike
    stop: ScalarLike
    step: ScalarLike
    touched: dict[int, tuple[Tensor, Carry]] = field(default_factory=dict)
    depth: int = 0


@dataclass(slots=True)
class ArmFrame:
    """An arm of a run-time branch: the storage that tensors from outside had before it."""

    before: dict[int, tuple[Tensor, LogicalTensor]] = field(default_factory=dict)
    depth: int = 0


class Tracer:
    """Records the operations of one kernel."""

    def __init__(self, target: Target, configuration: Configuration) -> None:
        self.target = target
        self.configuration = configuration
        self.builder = Builder()
        self.nodes: list[Node] = []
        self.frames: list[LoopFrame | ArmFrame] = []
        self.incomplete: list[Origin] = []
        self.bounds = Bounds()
        self.producers: dict[int, Operation] = {}
        self.created: dict[int, Origin] = {}
        self._counter = 0

    @property
    def loops(self) -> list[LoopFrame]:
        return [frame for frame in self.frames if isinstance(frame, LoopFrame)]

    @property
    def arms(self) -> list[ArmFrame]:
        return [frame for frame in self.frames if isinstance(frame, ArmFrame)]

    @property
    def depth(self) -> int:
        """How many loops and arms are under way; a tensor made at a lower depth comes from outside the innermost."""
        return len(self.frames)

    def fresh(self, stem: str) -> str:
        """A name that no other symbol of this kernel has."""
        self._counter += 1
        return f"{stem}_{self._counter}"

    def emit(
        self,
        opcode: str,
        inputs: Iterable[LogicalTensor],
        output: LogicalTensor | Iterable[LogicalTensor],
        origin: Origin,
        attributes: Mapping[str, Any] | None = None,
    ) -> Operation:
        """Record an operation under the tile shapes and the label in force."""
        settings = self.configuration.current
        outputs = (output,) if isinstance(output, LogicalTensor) else tuple(output)
        operation = self.builder.operation(
            opcode, inputs, outputs, origin, attributes or {}, settings.tiles, settings.label
        )
        self.nodes.append(OperationNode(operation))
        for tensor in outputs:
            self.producers.setdefault(tensor.id, operation)
        return operation

    def new(
        self,
        shape: Iterable[ScalarLike],
        dtype: DType,
        valid_shape: Iterable[ScalarLike] | None = None,
        name: str = "",
        format: str = "ND",
    ) -> LogicalTensor:
        """A tensor over storage of its own."""
        raw = self.builder.raw(shape, dtype, name, format=format)
        return self.builder.tensor(raw, valid_shape=valid_shape)

    @contextmanager
    def recording(self, frame: LoopFrame | ArmFrame) -> Iterator[list[Node]]:
        """Record into a list of its own, within a scope of the configuration."""
        nodes: list[Node] = []
        outer, self.nodes = self.nodes, nodes
        self.frames.append(frame)
        frame.depth = len(self.frames)
        try:
            with self.configuration.scope():
                yield nodes
        finally:
            self.frames.pop()
            self.nodes = outer

    def give_up(self, origin: Origin) -> None:
        """Note that the kernel holds something that could not be traced, so that no graph is made of it."""
        self.incomplete.append(origin)
