"""A kernel of Tensor mode in the user's process: called with tensors, it compiles and runs on the simulated NPU."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ptoscope_compiler import targets
from ptoscope_compiler.collector import uncollected
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic, Severity
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.live.environment import LiveEnvironment
from ptoscope_compiler.ir.kernel import TensorKernel
from ptoscope_compiler.pipeline import compile_tensor_kernel
from ptoscope_compiler.pto.program import PtoProgram
from ptoscope_compiler.scalar import Scalar
from ptoscope_compiler.tensor_mode.launch import mismatch
from ptoscope_compiler.tensor_mode.session import Session
from ptoscope_compiler.tensor_mode.trace import TensorArgument, trace_kernel

from . import bridge
from .errors import Rejected
from .machine import machine
from .session import current
from .tensors import dtype_of, to_numpy


@dataclass(frozen=True)
class LaunchRecord:
    """One launch, before it runs: the compiled kernel and the caller's arrays, in the order of the parameters.

    `stages` are the states after each pass where the session observes them; `compile_seconds` is zero where the kernel
    came from the cache.
    """

    name: str
    program: PtoProgram
    kernel: TensorKernel | None
    buffers: Mapping[str, np.ndarray[Any, Any]]
    scalars: Mapping[str, Any]
    block_num: int = 1
    compile_seconds: float = 0.0
    stages: Sequence[tuple[str, Any]] = ()


@dataclass(frozen=True)
class _Compiled:
    kernel: TensorKernel
    program: PtoProgram
    seconds: float
    stages: Sequence[tuple[str, Any]]

    def fits(self, shapes: Sequence[tuple[int, ...]]) -> bool:
        """Whether the kernel was compiled for arguments of these shapes: equal in every axis it took as fixed."""
        return all(
            len(raw.shape) == len(shape)
            and all(
                isinstance(known, Scalar) or known == extent for known, extent in zip(raw.shape, shape, strict=True)
            )
            for raw, shape in zip(self.kernel.parameters, shapes, strict=True)
        )


class TensorKernelFunction:
    """What `@pypto.frontend.jit` makes of a function. Calling it returns None; the results are in the tensors."""

    def __init__(
        self,
        function: Callable[..., Any],
        options: Mapping[str, Any],
        session: Session,
        environment: Callable[[], LiveEnvironment],
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._options = options
        self._session = session
        self._environment = environment
        self._signature = inspect.signature(function)
        self._compiled: dict[Any, list[_Compiled]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        tensors, values = self._arguments(args, kwargs)
        for position, tensor in enumerate(tensors):
            if not tensor.is_contiguous():
                raise RuntimeError(f"Input {position + 1} (index {position}): not all tensors are contiguous")
        compiled, seconds = self._specialisation(tensors, values)
        parameters = compiled.program.parameters
        buffers = {
            buffer.name: to_numpy(tensor, buffer.dtype) for buffer, tensor in zip(parameters, tensors, strict=True)
        }
        record = LaunchRecord(
            self.function.__name__, compiled.program, compiled.kernel, buffers, {}, 1, seconds, compiled.stages
        )
        for listener in current().on_launch:
            listener(record)
        machine().run(compiled.program, buffers)

    def _arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Tensors in order, then the other parameters by name with their defaults."""
        import torch

        names = list(self._signature.parameters)
        tensors = [value for value in args if isinstance(value, torch.Tensor)]
        if any(isinstance(value, torch.Tensor) for value in kwargs.values()):
            raise RuntimeError("tensors are given by position, the other parameters by position or by name")
        if not all(isinstance(value, torch.Tensor) for value in args[: len(tensors)]):
            raise RuntimeError("tensor arguments come before all others")
        rest = args[len(tensors) :]
        free = names[len(tensors) :]
        if len(rest) > len(free):
            raise RuntimeError(f"Too many positional arguments: {len(args)} given, {len(names)} expected.")
        unknown = [name for name in kwargs if name not in free]
        if unknown:
            raise RuntimeError(f"Unknown keyword argument(s): {unknown}. Valid non-tensor parameters: {free}.")
        values = {**dict(zip(free, rest, strict=False)), **kwargs}
        for name in free:
            default = self._signature.parameters[name].default
            if name not in values and default is not inspect.Parameter.empty:
                values[name] = default
            if name not in values:
                raise RuntimeError(f"Missing required argument '{name}' of kernel '{self.function.__name__}'.")
        return tensors, {name: values[name] for name in free}

    def _specialisation(self, tensors: Sequence[Any], values: Mapping[str, Any]) -> tuple[_Compiled, float]:
        """The compiled kernel for these arguments, and the seconds that compiling took now."""
        shapes = [tuple(tensor.shape) for tensor in tensors]
        settings = self._session.configuration.current
        key = (
            current().target,
            tuple((len(tensor.shape), str(tensor.dtype)) for tensor in tensors),
            repr(sorted(values.items())),
            repr(settings.options),
            repr(settings.tiles),
        )
        known = self._compiled.setdefault(key, [])
        for compiled in known:
            if compiled.fits(shapes):
                return compiled, 0.0
        compiled = self._compile(tensors, values)
        known.append(compiled)
        return compiled, compiled.seconds

    @uncollected()
    def _compile(self, tensors: Sequence[Any], values: Mapping[str, Any]) -> _Compiled:
        started = time.perf_counter()
        findings: list[Diagnostic] = []
        stages: list[tuple[str, Any]] = []
        target = targets.load(current().target)
        environment = self._environment()
        function = environment.function(self.function)
        if function is None:
            raise Rejected([], f"the source of kernel '{self.function.__name__}' cannot be found")
        arguments: list[Any] = []
        for position, tensor in enumerate(tensors):
            dtype = dtype_of(tensor)
            if dtype is None:
                raise RuntimeError(f"Input {position + 1}: tensors of {tensor.dtype} do not exist on the NPU")
            arguments.append(TensorArgument(tuple(tensor.shape), dtype))
        arguments += [environment.wrap(value) for value in values.values()]
        interpreter = Interpreter(environment, report=findings.append)
        reason = mismatch(function, arguments, interpreter)
        if reason is not None:
            raise ValueError(reason)
        options = {name: bridge.lower(value) for name, value in self._options.items()}
        settings = self._session.configuration.current
        trace = trace_kernel(function, arguments, target, interpreter, self._session, settings, options)
        findings += trace.diagnostics
        errors = [found for found in findings if found.severity is Severity.ERROR]
        if errors or trace.kernel is None:
            raise Rejected(errors or findings, "" if errors else f"kernel '{function.name}' could not be traced")
        observe = (lambda name, state: stages.append((name, state))) if current().observe_stages else None
        program = compile_tensor_kernel(trace.kernel, target, observe=observe, report=findings.append)
        return _Compiled(trace.kernel, program, time.perf_counter() - started, stages)
