"""The tile operations that a run executed, as bare numpy calls on arrays that already exist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ptoscope_compiler.pto.program import CoreProgram, WriteElement
from ptoscope_simulator.machine.core import Core
from ptoscope_simulator.machine.instruction import PreparedInstruction
from ptoscope_simulator.machine.schedule import Task

Call = Callable[[], Any]

_BINARY = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "MAX": np.maximum,
    "MIN": np.minimum,
}
_UNARY = {
    "TEXP": np.exp,
    "TSQRT": np.sqrt,
    "TLOG": np.log,
    "TABS": np.abs,
    "TNEG": np.negative,
    "TRECIP": np.reciprocal,
}
_REDUCE = {"SUM": np.add, "MAX": np.maximum, "MIN": np.minimum, "PROD": np.multiply}
_COPIES = frozenset({"TLOAD", "TSTORE", "TMOV", "TEXTRACT", "TCVT", "TROWEXPAND", "TCOLEXPAND", "TEXPANDS", "TRESHAPE"})


class BareNumpy:
    """A probe that collects one numpy call for each executed instruction; `missing` names those without one."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.missing: set[str] = set()
        self.instructions = 0

    def begin(self, core: Core, program: CoreProgram, task: Task | None) -> None:
        """Bare numpy knows no cores."""

    def element_written(self, operand: Any, core: Core, statement: WriteElement) -> None:
        """Scalars are not tile operations."""

    def instruction(self, prepared: PreparedInstruction) -> Callable[[Core], None]:
        opcode = prepared.statement.opcode

        def execute(core: Core) -> None:
            inputs = [np.array(value) if isinstance(value, np.ndarray) else value for value in prepared.read(core)]
            result = prepared.compute(core)
            prepared.write(core, result)
            self.instructions += 1
            self._collect(opcode, inputs, result[0] if result else None)

        return execute

    def _collect(self, opcode: str, inputs: list[Any], output: Any) -> None:
        call = _bare(opcode, inputs, np.array(output)) if isinstance(output, np.ndarray) else None
        if call is None:
            self.missing.add(opcode)
        else:
            self.calls.append(call)

    def run(self) -> None:
        with np.errstate(all="ignore"):
            for call in self.calls:
                call()


def _bare(opcode: str, inputs: list[Any], output: np.ndarray[Any, Any]) -> Call | None:
    first = inputs[0]
    name = opcode.removeprefix("T").removeprefix("ROWEXPAND").removeprefix("COLEXPAND").removeprefix("PART")
    binary = _BINARY.get(name) or _BINARY.get(name.removesuffix("S"))
    if binary is not None and len(inputs) >= 2:
        second = _expanded(opcode, inputs[1])
        return lambda: binary(first, second, out=output, casting="unsafe")
    if opcode in _UNARY:
        unary = _UNARY[opcode]
        return lambda: unary(first, out=output, casting="unsafe")
    if opcode == "TRELU":
        return lambda: np.maximum(first, 0, out=output, casting="unsafe")
    for prefix, axis in (("TROW", -1), ("TCOL", -2)):
        reduce = _REDUCE.get(opcode.removeprefix(prefix)) if opcode.startswith(prefix) else None
        if reduce is not None:
            return lambda: reduce.reduce(first, axis=axis, keepdims=True)
    if opcode in ("TMATMUL", "TMATMUL_ACC", "TMATMUL_BIAS"):
        return _matmul(opcode, inputs, output)
    if opcode == "TTRANS":
        flipped = np.swapaxes(first, -1, -2)
        return lambda: np.copyto(output, flipped, casting="unsafe")
    if opcode in _COPIES:
        source = _expanded(opcode, first)
        if np.size(source) == output.size:
            source = np.reshape(source, output.shape)
        return lambda: np.copyto(output, source, casting="unsafe")
    return None


def _expanded(opcode: str, operand: Any) -> Any:
    """The part of the second operand that an expanding instruction repeats: its first column or row."""
    if opcode.startswith("TROWEXPAND"):
        return operand[..., :1]
    return operand[..., :1, :] if opcode.startswith("TCOLEXPAND") else operand


def _matmul(opcode: str, inputs: list[Any], output: np.ndarray[Any, Any]) -> Call:
    left, right = (
        (value.astype(np.float32) for value in inputs[-2:])
        if opcode != "TMATMUL_BIAS"
        else (value.astype(np.float32) for value in inputs[:2])
    )
    if opcode == "TMATMUL":
        return lambda: np.matmul(left, right)
    return lambda: np.add(np.matmul(left, right), output, out=output, casting="unsafe")
