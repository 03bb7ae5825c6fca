"""What a launch must satisfy (`python/pypto/frontend/parser/entry.py` of hicann/pypto)."""

from __future__ import annotations

from collections.abc import Sequence

from ..dtype import UINT8, DType
from ..evaluate.functions import UserFunction
from ..evaluate.interpreter import Interpreter
from ..evaluate.values import Value
from .annotations import Declaration, TensorDeclaration
from .parameters import parameter_names
from .trace import TensorArgument


def mismatch(
    function: UserFunction, arguments: Sequence[TensorArgument | Value], interpreter: Interpreter
) -> str | None:
    """The first way in which a tensor does not fit its annotation, in words; None where all fit."""
    annotations = function.annotations(interpreter)
    for name, argument in zip(parameter_names(function), arguments, strict=False):
        annotation = annotations.get(name)
        if isinstance(argument, TensorArgument) and isinstance(annotation, Declaration):
            reason = _mismatch(annotation.declaration, argument)
            if reason is not None:
                return f"argument '{name}' of kernel '{function.name}' {reason}"
    return None


def _mismatch(declared: TensorDeclaration, argument: TensorArgument) -> str | None:
    if not declared.known:
        return None
    rank, least = len(argument.shape), len(declared.dimensions)
    if rank < least or (rank > least and not declared.open_ended):
        return f"has {rank} dimensions, its annotation {least}"
    for axis, (extent, dimension) in enumerate(zip(argument.shape, declared.dimensions, strict=False)):
        if isinstance(dimension, int) and dimension != extent:
            return f"has shape {list(argument.shape)}, its annotation says {dimension} on axis {axis}"
    wanted, given = declared.dtype, argument.dtype
    if wanted is None or given in (None, wanted) or _holds_codes(wanted, given):
        return None
    return f"has type {argument.dtype}, its annotation says {declared.dtype}"


def _holds_codes(declared: DType, given: DType) -> bool:
    """Whether bytes may stand for a type that torch does not have."""
    return given is UINT8 and declared.bytes == 1
