"""The rule of each tile operation, and the stream of instructions that rules write into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..hardware import Pipe
from ..ir.graph import LogicalTensor, Operation
from ..passes.pipes import pipe_of
from ..pto.operands import Operand, Tile, Window
from ..pto.program import Instruction, Statement
from .operands import operand

Rule = Callable[["Stream", Operation], None]

RULES: dict[str, Rule] = {}


class NotLowered(Exception):
    """No rule says which instructions an operation becomes."""

    def __init__(self, operation: Operation, reason: str = "") -> None:
        self.operation = operation
        super().__init__(f"{operation.opcode} has no instructions yet" + (f": {reason}" if reason else ""))


def lowers(*opcodes: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the rule of `opcodes`."""

    def register(rule: Rule) -> Rule:
        for opcode in opcodes:
            RULES[opcode] = rule
        return rule

    return register


class Stream:
    """The instructions of one core program while they are written."""

    def __init__(self, arch: str) -> None:
        self.arch = arch
        self.body: list[Statement] = []

    def lower(self, operation: Operation) -> None:
        """Write what `operation` becomes; NotLowered where no rule exists."""
        rule = RULES.get(operation.opcode)
        if rule is None:
            raise NotLowered(operation)
        rule(self, operation)

    def operand(self, tensor: LogicalTensor) -> Tile | Window:
        return operand(tensor, self.arch)

    def emit(
        self,
        operation: Operation,
        opcode: str,
        outputs: Sequence[LogicalTensor | Operand],
        inputs: Sequence[LogicalTensor | Operand],
        pipe: Pipe | None = None,
        **attributes: Any,
    ) -> None:
        """One instruction of `operation`, on its pipe unless another is given."""
        pipe = pipe or pipe_of(operation) or Pipe.V
        self.body.append(
            Instruction(
                opcode,
                pipe,
                tuple(self._resolved(value) for value in outputs),
                tuple(self._resolved(value) for value in inputs),
                operation.origin,
                {name: value for name, value in attributes.items() if value is not None},
            )
        )

    def _resolved(self, value: LogicalTensor | Operand) -> Operand:
        return self.operand(value) if isinstance(value, LogicalTensor) else value
