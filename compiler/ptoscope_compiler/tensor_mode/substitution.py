"""Replacing values in what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir.graph import LogicalTensor, Operation
from ..scalar import ElementRead, Expression, Scalar, ScalarLike, substitute
from .region import BranchNode, Carried, Carry, LoopNode, Node, OperationNode, Phi, SetElementNode


@dataclass
class Substitution:
    """Tensors by id and symbols by name, with what takes their place."""

    tensors: dict[int, LogicalTensor] = field(default_factory=dict)
    symbols: dict[str, ScalarLike] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.tensors or self.symbols)

    def copy(self) -> Substitution:
        return Substitution(dict(self.tensors), dict(self.symbols))

    def add(self, old: Carried, new: Carried | None) -> None:
        """Let `new` take the place of `old`; nothing where `new` is undefined."""
        if isinstance(old, LogicalTensor):
            if isinstance(new, LogicalTensor):
                self.tensors[old.id] = new
        elif isinstance(old, Scalar) and new is not None and not isinstance(new, LogicalTensor):
            self.symbols[str(old)] = new

    def tensor(self, tensor: LogicalTensor) -> LogicalTensor:
        while tensor.id in self.tensors:
            tensor = self.tensors[tensor.id]
        return tensor

    def scalar(self, value: ScalarLike) -> ScalarLike:
        return substitute(value, self.symbols) if self.symbols else value

    def value(self, value: Carried | None) -> Carried | None:
        if isinstance(value, LogicalTensor):
            return self.tensor(value)
        return None if value is None else self.scalar(value)

    def defined(self, tensor: LogicalTensor) -> LogicalTensor:
        """A tensor where it is defined: the same, its valid shape rewritten."""
        if not self.symbols:
            return tensor
        valid = tuple(self.scalar(extent) for extent in tensor.valid_shape)
        return tensor if valid == tensor.valid_shape else replace(tensor, valid_shape=valid)

    def operation(self, operation: Operation) -> Operation:
        """The operation with what it refers to replaced; the same where it refers to nothing that is."""
        inputs = tuple(self.tensor(tensor) for tensor in operation.inputs)
        outputs = tuple(self.defined(self.tensor(tensor)) for tensor in operation.outputs)
        attributes = self._attributes(operation.attributes)
        if inputs == operation.inputs and outputs == operation.outputs and attributes is operation.attributes:
            return operation
        return replace(operation, inputs=inputs, outputs=outputs, attributes=attributes)

    def nodes(self, nodes: list[Node]) -> list[Node]:
        """The nodes with every value replaced; the same nodes where there is nothing to replace."""
        return [self.node(node) for node in nodes] if self else list(nodes)

    def _attributes(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self.symbols:
            return attributes
        replaced = {name: self._attribute(value) for name, value in attributes.items()}
        return attributes if all(replaced[name] is value for name, value in attributes.items()) else replaced

    def _attribute(self, value: Any) -> Any:
        if isinstance(value, (Expression, ElementRead, Scalar)):
            return self.scalar(value)
        if isinstance(value, tuple):
            items = tuple(self._attribute(item) for item in value)
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        return value

    def node(self, node: Node) -> Node:
        if isinstance(node, OperationNode):
            return OperationNode(self.operation(node.operation))
        if isinstance(node, LoopNode):
            carries = [
                Carry(carry.name, carry.entry, self.value(carry.initial), self._present(carry.following), carry.result)
                for carry in node.carries
            ]
            start, stop, step = (self.scalar(bound) for bound in (node.start, node.stop, node.step))
            return LoopNode(node.index, start, stop, step, self.nodes(node.body), node.origin, carries, node.attributes)
        if isinstance(node, BranchNode):
            phis = [Phi(phi.name, phi.result, self.value(phi.then), self.value(phi.otherwise)) for phi in node.phis]
            condition = self.scalar(node.condition)
            then, otherwise = self.nodes(node.then), self.nodes(node.otherwise)
            return BranchNode(condition, then, otherwise, node.origin, phis)
        indices = tuple(self.scalar(index) for index in node.indices)
        return SetElementNode(self.tensor(node.tensor), indices, self.scalar(node.value), node.origin)

    def _present(self, value: Carried) -> Carried:
        replaced = self.value(value)
        assert replaced is not None
        return replaced
