"""Binding of a launch: the caller's arrays and numbers against the kernel's signature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.diagnostics.rules import pt955_launch_mismatch
from ptoscope_compiler.pto.program import Buffer, PtoProgram
from ptoscope_compiler.scalar import Number, Scalar

from ..numerics import numpy_dtype
from .errors import MachineError
from .memory import GlobalBuffer
from .scalars import Variables, evaluator_of_all


@dataclass
class Launched:
    """A program's global buffers, and the scheduler's variables: scalar parameters and dimensions."""

    buffers: dict[str, GlobalBuffer]
    variables: Variables

    def finish(self) -> None:
        """Bring results into arrays of the caller that are not contiguous."""
        for buffer in self.buffers.values():
            buffer.finish()


def bind(program: PtoProgram, arrays: Mapping[str, NDArray[Any]], scalars: Mapping[str, Number]) -> Launched:
    """Check and bind a launch; workspace is allocated and zeroed. MachineError (PT955) where something does not fit."""
    buffers: dict[str, GlobalBuffer] = {}
    variables = Variables(read=lambda name, indices: buffers[name].read(indices))
    for name in program.scalars:
        if name not in scalars:
            raise _mismatch(program, f"scalar '{name}' is missing")
        variables[name] = scalars[name]
    for parameter in program.parameters:
        if parameter.name not in arrays:
            raise _mismatch(program, f"tensor '{parameter.name}' is missing")
        array = arrays[parameter.name]
        _check(program, parameter, array)
        buffers[parameter.name] = GlobalBuffer(parameter.name, parameter.dtype, array)
        for axis, extent in enumerate(array.shape):
            variables[f"{parameter.name}.shape[{axis}]"] = extent
    for buffer in program.workspace:
        shape = tuple(map(int, evaluator_of_all(buffer.shape)(variables)))
        buffers[buffer.name] = GlobalBuffer(buffer.name, buffer.dtype, np.zeros(shape, numpy_dtype(buffer.dtype)))
    return Launched(buffers, variables)


def _check(program: PtoProgram, parameter: Buffer, array: NDArray[Any]) -> None:
    if array.dtype.itemsize != numpy_dtype(parameter.dtype).itemsize:
        raise _mismatch(program, f"'{parameter.name}' is {array.dtype}, the kernel takes {parameter.dtype}")
    fits = len(array.shape) == len(parameter.shape) and all(
        isinstance(wanted, Scalar) or wanted == extent
        for wanted, extent in zip(parameter.shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join(str(extent) for extent in parameter.shape)
        raise _mismatch(program, f"'{parameter.name}' has shape {list(array.shape)}, the kernel takes [{wanted}]")


def _mismatch(program: PtoProgram, reason: str) -> MachineError:
    return MachineError(pt955_launch_mismatch.RULE.at(program.origin, kernel=program.name, reason=reason))
