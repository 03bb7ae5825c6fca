"""One call of an operation, as lowering functions see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..evaluate.site import Site
from ..evaluate.values import Unsupported, Value
from ..hardware import MemorySpace, Pipe
from ..origin import Origin
from ..pto.operands import Operand
from ..pto.program import Instruction
from ..scalar import ScalarLike
from .api import Entry
from .declarations import Member
from .scalars import describe, is_scalar, lower
from .tensors import Tensor
from .tiles import Tile

if TYPE_CHECKING:
    from .tracer import Tracer

Source = Tile | Tensor


@dataclass
class Call:
    """`values` has every parameter; `positional` the arguments that were written by position."""

    entry: Entry
    values: Mapping[str, Value]
    positional: Sequence[Value]
    site: Site
    tracer: Tracer

    @property
    def origin(self) -> Origin:
        return self.site.origin

    def tile(self, name: str) -> Tile:
        value = self.values[name]
        if not isinstance(value, Tile):
            raise Unsupported(f"pl.{self.entry.name}(): '{name}' must be a tile, not {describe(value)}")
        return value

    def tensor(self, name: str) -> Tensor:
        value = self.values[name]
        if not isinstance(value, Tensor):
            raise Unsupported(f"pl.{self.entry.name}(): '{name}' must be a tensor, not {describe(value)}")
        return value

    def scalars(self, name: str) -> tuple[ScalarLike, ...]:
        """A list of scalars."""
        return tuple(map(lower, self.values[name]))

    def member(self, name: str) -> str | None:
        """The name of an enumeration member; None where the argument is None."""
        value = self.values[name]
        return value.name if isinstance(value, Member) else None

    def number(self, name: str) -> int:
        """An integer that must be known while compiling."""
        value = self.values[name]
        if isinstance(value, bool) or not isinstance(value, int):
            raise Unsupported(f"pl.{self.entry.name}(): '{name}' must be an integer known while compiling")
        return value

    def operand(self, name: str) -> Operand:
        """An argument as an operand: a tile, or a scalar."""
        value = self.values[name]
        return lower(value) if is_scalar(value) else self.tile(name).operand()

    def held(self, pipe: Pipe, without: frozenset[MemorySpace] = frozenset()) -> AbstractContextManager[None]:
        """Buffer tokens of the tiles among the positional arguments, taken by `pipe`."""
        return self.tracer.mutex.held(pipe, self.positional, self.origin, without)

    def emit(
        self, opcode: str, pipe: Pipe, outputs: Sequence[Operand], inputs: Sequence[Operand], **attributes: Any
    ) -> None:
        set_attributes = {name: value for name, value in attributes.items() if value is not None}
        self.tracer.emit(Instruction(opcode, pipe, tuple(outputs), tuple(inputs), self.origin, set_attributes))


Family = Callable[[Call], Value]
_FAMILIES: dict[str, Family] = {}


def family(*names: str) -> Callable[[Family], Family]:
    """Registers the lowering of the operations whose entries name one of `names`."""

    def register(function: Family) -> Family:
        _FAMILIES.update(dict.fromkeys(names, function))
        return function

    return register


def family_of(name: str) -> Family:
    return _FAMILIES[name]


def emit_steps(call: Call) -> None:
    """The instructions that the entry lists, for the variant that fits the arguments."""
    with call.held(call.entry.pipe):
        for step in call.entry.steps[_variant(call)]:
            _emit_step(call, step)


def _variant(call: Call) -> str:
    variants = call.entry.steps
    if "" in variants:
        return ""
    dim = call.values.get("dim")
    if dim is not None:
        key = str(call.number("dim"))
        if key not in variants:
            raise Unsupported(f"pl.{call.entry.name}(): 'dim' must be 0 or 1, not {key}")
        return key
    return "scalar" if any(is_scalar(value) for value in call.values.values()) else "tile"


def _emit_step(call: Call, step: str) -> None:
    opcode, output, *rest = step.split()
    inputs: list[Operand] = []
    attributes: dict[str, Any] = {}
    for word in rest:
        name, is_attribute, value = word.partition("=")
        if is_attribute:
            attributes[name] = _attribute(call, value)
        else:
            inputs.append(call.operand(name))
    call.emit(opcode, call.entry.pipe, (call.operand(output),), inputs, **attributes)


def _attribute(call: Call, text: str) -> Any:
    """`"EQ"` is itself, `mode` the value of that parameter."""
    if text.startswith('"'):
        return text.strip('"')
    value = call.values[text]
    return value.name if isinstance(value, Member) else value
