"""What an instruction computes: one pure function per opcode, found by its PTO-ISA name.

A semantics function takes the context and one argument per input operand, and returns one array, or a tuple with one
array per output operand.

- A tile or window arrives as an array over its valid region, in logical order (rows, columns), of any rank; its layout
  is undone. Inputs listed in `whole` arrive in their physical shape instead.
- A register arrives as an array of its lanes, a predicate as a boolean array of its lanes, a scalar as a number.
- A result covers as much of its operand as its shape says, from the first element on; normally the valid region.
- `window_in` names the input of which only the window at (`index_row`, `index_col`), as large as the output's valid
  region, is handed over. `window_out` says that the result belongs at that place of the output.

With `context.exact` every floating-point array is float64 and nothing is rounded to the storage type: the same
functions then compute the shadow values that precision is judged against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.pto.operands import Mask, Register, Tile, Window

from ..numerics import numpy_dtype

Array = NDArray[Any]
Function = Callable[..., Any]


class Architecture(Protocol):
    """The part of a target that semantics depend on: "2201" (A2/A3), "3510" (950), "3003", "3113"; "cpu" for the CPU
    simulator of PTO-ISA, against which the vectors were recorded."""

    @property
    def arch(self) -> str: ...


class OperandView:
    """What a semantics function may know of an operand that is not a scalar: types and extents, never its data."""

    __slots__ = ("dtype", "numpy", "operand", "physical", "valid")

    def __init__(self, operand: Tile | Window | Register | Mask, valid: tuple[int, ...] | None = None) -> None:
        self.operand = operand
        if isinstance(operand, Tile):
            self.dtype = operand.type.dtype
            self.physical: tuple[int, ...] = operand.type.shape
            extent: tuple[Any, ...] = operand.valid
        elif isinstance(operand, Window):
            self.dtype = operand.dtype
            self.physical = extent = operand.shape  # type: ignore[assignment]
        else:
            self.dtype = operand.dtype
            self.physical = extent = (operand.lanes,)
        self.numpy = numpy_dtype(self.dtype)
        self.valid: tuple[int, ...] = extent if valid is None else valid


class Context:
    """One execution of an instruction. `inputs` has None for scalars."""

    __slots__ = ("attributes", "exact", "inputs", "outputs", "target")

    def __init__(
        self,
        outputs: tuple[OperandView, ...],
        inputs: tuple[OperandView | None, ...],
        attributes: Mapping[str, Any],
        target: Architecture,
        exact: bool = False,
    ) -> None:
        self.outputs = outputs
        self.inputs = inputs
        self.attributes = attributes
        self.target = target
        self.exact = exact

    def attribute(self, name: str, default: Any = None) -> Any:
        return self.attributes.get(name, default)

    @property
    def keeps_extent(self) -> bool:
        """Whether the first input has the extent of the first output."""
        source = self.inputs[0]
        return source is not None and source.valid == self.outputs[0].valid

    @property
    def keeps_type(self) -> bool:
        """Whether the first input has the element type of the first output."""
        source = self.inputs[0]
        return source is not None and source.numpy == self.outputs[0].numpy

    def round(self, output: int, value: Array) -> Array:
        """`value` in the storage type of that output, to nearest even; floating-point values stay when `exact`."""
        view = self.outputs[output]
        if value.dtype == view.numpy or (self.exact and view.dtype.is_float):
            return value
        return value.astype(view.numpy)


@dataclass(frozen=True, slots=True)
class Semantics:
    """An entry of the registry; the fields are those of `instruction`."""

    opcode: str
    function: Function
    whole: frozenset[int]
    window_in: int | None
    window_out: int | None
    ufunc: np.ufunc | None = None
    copies: Callable[[Context], bool] | None = None


class UnknownInstruction(LookupError):
    """No semantics exist for an opcode."""

    def __init__(self, opcode: str) -> None:
        self.opcode = opcode
        near = get_close_matches(opcode, _REGISTRY, 1)
        super().__init__(f"no semantics for instruction {opcode}" + (f"; did you mean {near[0]}?" if near else ""))


_REGISTRY: dict[str, Semantics] = {}


def instruction(
    *opcodes: str,
    whole: tuple[int, ...] = (),
    window_in: int | None = None,
    window_out: int | None = None,
    ufunc: np.ufunc | None = None,
    copies: Callable[[Context], bool] | None = None,
) -> Callable[[Function], Function]:
    """Registers the decorated function under each of `opcodes`.

    `ufunc` says that the function is that of numpy where all operands have one element type and broadcast to the
    output, so that it may be applied in place; scalars then count as elements of that type. `copies` says for which
    contexts the result is the first input as numpy casts it.
    """

    def register(function: Function) -> Function:
        for opcode in opcodes:
            if opcode in _REGISTRY:
                raise ValueError(f"{opcode} has semantics already")
            _REGISTRY[opcode] = Semantics(opcode, function, frozenset(whole), window_in, window_out, ufunc, copies)
        return function

    return register


def semantics(opcode: str) -> Semantics:
    """The entry of `opcode`; UnknownInstruction where there is none."""
    try:
        return _REGISTRY[opcode]
    except KeyError:
        raise UnknownInstruction(opcode) from None


def opcodes() -> tuple[str, ...]:
    """Every opcode with semantics, sorted."""
    return tuple(sorted(_REGISTRY))
