"""What an operation of the Tensor graph computes, in exact arithmetic: one function per opcode.

A golden function takes the context and one array per input (float64, int64 or bool, in the valid shape of the tensor)
and returns one array, or a tuple with one per output. A result covers its output from `context.corner` on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray
from ptoscope_compiler.dtype import DType
from ptoscope_compiler.ir.graph import Operation

Array = NDArray[Any]
Function = Callable[..., Any]


@dataclass
class GoldenContext:
    """One execution of an operation. `attributes` and the extents are numbers; `previous` is what output 0 held."""

    operation: Operation
    attributes: Mapping[str, Any]
    shapes: tuple[tuple[int, ...], ...]
    valid: tuple[tuple[int, ...], ...]
    previous: Array
    corner: tuple[int, ...] = field(default=())

    def dtype(self, output: int = 0) -> DType:
        """Element type of an output."""
        return self.operation.outputs[output].dtype

    def input_dtype(self, index: int = 0) -> DType:
        return self.operation.inputs[index].dtype

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute as a plain value: an element gives its number, an enumeration its value."""
        return plain(self.attributes.get(name, default))

    @property
    def scalar(self) -> Any:
        """The scalar operand of the operation."""
        for name in ("SCALAR", "DYN_SCALAR"):
            if self.attributes.get(name) is not None:
                return self.attribute(name)
        return 0


def plain(value: Any) -> Any:
    """The number within an element or a member of an enumeration."""
    inner = getattr(value, "value", value)
    return plain(inner) if inner is not value else value


@dataclass(frozen=True, slots=True)
class Golden:
    """An entry of the registry. With `whole`, inputs arrive in their full shape instead of the valid one."""

    function: Function
    whole: bool


class UnknownOperation(LookupError):
    """No golden exists for an opcode."""

    def __init__(self, opcode: str) -> None:
        self.opcode = opcode
        super().__init__(f"no golden for operation {opcode}")


_REGISTRY: dict[str, Golden] = {}


def golden(*opcodes: str, whole: bool = False) -> Callable[[Function], Function]:
    """Registers the decorated function under each of `opcodes`."""

    def register(function: Function) -> Function:
        for opcode in opcodes:
            if opcode in _REGISTRY:
                raise ValueError(f"{opcode} has a golden already")
            _REGISTRY[opcode] = Golden(function, whole)
        return function

    return register


def lookup(opcode: str) -> Golden:
    """The entry of `opcode`; UnknownOperation where there is none."""
    from . import families  # noqa: F401 (registers every family)

    try:
        return _REGISTRY[opcode]
    except KeyError:
        raise UnknownOperation(opcode) from None


def opcodes() -> frozenset[str]:
    """Every opcode with a golden."""
    from . import families  # noqa: F401 (registers every family)

    return frozenset(_REGISTRY)
