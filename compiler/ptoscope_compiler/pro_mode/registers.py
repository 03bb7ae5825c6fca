"""Registers and masks of vector functions, as values of the evaluator.

A variable of a vector function is one register: assigning to it again writes the same register, unless another variable
still holds it (`_assignment_parser.py` of hicann/pypto declares registers the same way).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..dtype import DType
from ..evaluate.values import Abstract, Value
from ..hardware import Pipe
from ..origin import Origin
from ..pto import operands as pto
from ..pto.program import Instruction

if TYPE_CHECKING:
    from ..evaluate.functions import UserFunction
    from .tracer import Tracer


class RegisterValue(Abstract):
    """A vector register of 256 bytes."""

    type_name = "register"

    def __init__(self, register: pto.Register) -> None:
        self.register = register

    def operand(self) -> pto.Register:
        return self.register

    def describe(self) -> str:
        return f"register of {self.register.lanes} {self.register.dtype}"


class MaskValue(Abstract):
    """A mask register."""

    type_name = "mask"

    def __init__(self, register: pto.Mask) -> None:
        self.register = register

    def operand(self) -> pto.Mask:
        return self.register

    def describe(self) -> str:
        return f"mask of {self.register.lanes} lanes"


Held = RegisterValue | MaskValue
Kind = DType | int
"""What a register holds: elements of a type, or a mask over lanes of so many bits."""

_targets: WeakKeyDictionary[ast.AST, dict[ast.AST, tuple[str, ...]]] = WeakKeyDictionary()


def targets_of(function: UserFunction) -> Mapping[ast.AST, tuple[str, ...]]:
    """Names to which each expression of a function's body is assigned."""
    node = function.node
    found = _targets.get(node)
    if found is None:
        found = _targets[node] = {}
        for statement in ast.walk(node):
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                found[statement.value] = _names(statement.targets[0])
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                found[statement.value] = _names(statement.target)
    return found


def _names(target: ast.expr) -> tuple[str, ...]:
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return tuple(part.id if isinstance(part, ast.Name) else "" for part in parts)


class RegisterFile:
    """Registers of the vector functions of one trace."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._known: dict[tuple[int, str, Kind], Held] = {}
        self.targets: Mapping[ast.AST, tuple[str, ...]] = {}
        self.call = 0

    def target(self, node: ast.AST, position: int, kind: Kind, variables: Mapping[str, Value]) -> Held:
        """The register that an assignment of `node` writes, its `position`-th result."""
        names = self.targets.get(node, ())
        name = names[position] if position < len(names) else ""
        if not name or name == "_":
            return self.make("result", kind)
        key = (self.call, name, kind)
        known = self._known.get(key)
        shared = any(value is known for other, value in variables.items() if other != name)
        if known is None or shared:
            known = self._known[key] = self.make(name, kind)
        return known

    def make(self, hint: str, kind: Kind) -> Held:
        """A new register."""
        name = self._tracer.fresh(hint)
        if isinstance(kind, DType):
            return RegisterValue(pto.Register(name, kind))
        return MaskValue(pto.Mask(name, kind))


def kind_of(value: Held) -> Kind:
    return value.register.dtype if isinstance(value, RegisterValue) else value.register.bits


def copy(target: Held, source: Held, origin: Origin) -> Instruction:
    """`target` becomes what `source` is."""
    opcode = "VMOV" if isinstance(target, RegisterValue) else "PMOV"
    return Instruction(opcode, Pipe.V, (target.operand(),), (source.operand(),), origin)


def copies(pairs: Sequence[tuple[Held, Held]], tracer: Tracer, origin: Origin) -> list[Instruction]:
    """Copies (target, source) as if all at once."""
    targets = {target.register.name for target, _ in pairs}
    first: list[Instruction] = []
    then: list[Instruction] = []
    for target, source in pairs:
        if target.register.name == source.register.name:
            continue
        if source.register.name in targets:
            temporary = tracer.registers.make("next", kind_of(source))
            first.append(copy(temporary, source, origin))
            source = temporary
        then.append(copy(target, source, origin))
    return [*first, *then]
