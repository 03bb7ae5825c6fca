"""A kernel of Pro mode in the user's process: launched with tensors, it compiles and runs on the simulated NPU.

Launch forms and their checks: `python/pypto_pro/runtime/jit.py` of hicann/pypto.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from ptoscope_compiler import targets
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic, Severity
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.live.environment import LiveEnvironment
from ptoscope_compiler.pro_mode.module import language, modules
from ptoscope_compiler.pro_mode.parameters import TensorArgument
from ptoscope_compiler.pro_mode.trace import ProTrace, trace_pro_kernel
from ptoscope_compiler.pto.program import Buffer, PtoProgram
from ptoscope_compiler.scalar import Scalar

from .errors import Rejected
from .kernels import LaunchRecord
from .machine import machine
from .session import current
from .tensors import dtype_of, to_numpy


@functools.cache
def environment() -> LiveEnvironment:
    """Names of the running process as the compiler sees them."""
    return LiveEnvironment(modules())


@dataclass(frozen=True)
class _Compiled:
    program: PtoProgram

    def fits(self, arguments: Sequence[Any]) -> bool:
        """Whether the tensors agree with every dimension that the program fixed."""
        tensors = [argument for argument in arguments if isinstance(argument, TensorArgument)]
        return len(tensors) == len(self.program.parameters) and all(
            _same_shape(buffer, tensor) for buffer, tensor in zip(self.program.parameters, tensors, strict=True)
        )


def _same_shape(buffer: Buffer, tensor: TensorArgument) -> bool:
    return len(buffer.shape) == len(tensor.shape) and all(
        isinstance(wanted, Scalar) or wanted == extent
        for wanted, extent in zip(buffer.shape, tensor.shape, strict=True)
    )


class ProKernelFunction:
    """What `@pl.jit` makes of a function: `k(*args)`, `k[blocks](*args)`, `k[stream, blocks](*args)`.

    A dictionary in the brackets binds names of the kernel: the fields of its tiling key, or element types.
    """

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = dict(options)
        self._names = list(inspect.signature(function).parameters)
        self._compiled: dict[Any, list[_Compiled]] = {}

    def __call__(self, *args: Any) -> Any:
        if self._is_host_function():
            return self.function(*args)
        return self[1](*args)

    def __getitem__(self, key: Any) -> Callable[..., None]:
        parts = key if isinstance(key, tuple) else (key,)
        bound: dict[str, Any] = {}
        for part in parts:
            if isinstance(part, Mapping):
                bound.update(part)
        numbers = [part for part in parts if not isinstance(part, Mapping)]
        blocks = numbers[-1] if numbers else 1
        if isinstance(blocks, bool) or not isinstance(blocks, int) or blocks <= 0:
            raise ValueError(f"block_dim must be a positive int, got {blocks!r}")
        return functools.partial(self._launch, blocks, bound)

    def _is_host_function(self) -> bool:
        """A decorated function without a parameter that lives on the device only calls kernels."""
        return not any(
            parameter.annotation is not inspect.Parameter.empty for parameter in self._signature_parameters()
        )

    def _signature_parameters(self) -> Sequence[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())

    def _launch(self, blocks: int, bound: Mapping[str, Any], *args: Any) -> None:
        if len(args) != len(self._names):
            raise TypeError(f"{self.function.__name__}() takes {len(self._names)} arguments but {len(args)} were given")
        arguments = [_described(argument) for argument in args]
        program, seconds = self._specialisation(arguments, bound)
        buffers, scalars = _bound(program, dict(zip(self._names, args, strict=True)))
        record = LaunchRecord(self.function.__name__, program, None, buffers, scalars, blocks, seconds)
        for listener in current().on_launch:
            listener(record)
        machine().run(program, buffers, scalars, blocks)

    def _specialisation(self, arguments: Sequence[Any], bound: Mapping[str, Any]) -> tuple[PtoProgram, float]:
        """The program for these arguments, and the seconds that compiling took now."""
        absent = tuple(argument is None for argument in arguments)
        ranks = tuple(len(value.shape) if isinstance(value, TensorArgument) else -1 for value in arguments)
        key = (current().target, absent, ranks, repr(sorted(bound.items())))
        known = self._compiled.setdefault(key, [])
        for compiled in known:
            if compiled.fits(arguments):
                return compiled.program, 0.0
        started = time.perf_counter()
        program = self._compile(arguments, bound)
        known.append(_Compiled(program))
        return program, time.perf_counter() - started

    def _compile(self, arguments: Sequence[Any], bound: Mapping[str, Any]) -> PtoProgram:
        names = environment()
        function = names.function(self.function)
        if function is None:
            raise Rejected([], f"the source of kernel '{self.function.__name__}' cannot be found")
        findings: list[Diagnostic] = []
        interpreter = Interpreter(names, report=findings.append)
        constants = {name: names.wrap(value) for name, value in self._constants(bound).items()}
        target = targets.load(current().target)
        trace = trace_pro_kernel(function, arguments, target, interpreter, self.options, constants)
        if trace.program is None:
            raise _rejected(self.function.__name__, trace, findings)
        return trace.program

    def _constants(self, bound: Mapping[str, Any]) -> dict[str, Any]:
        """Names that the launch binds: an element type is given by parameter, and bound as `datatype=` says."""
        variables = self.options.get("datatype") or {}
        return {variables.get(name, name): value for name, value in bound.items()}


def _rejected(name: str, trace: ProTrace, findings: Sequence[Diagnostic]) -> Rejected:
    found = [*findings, *trace.diagnostics]
    errors = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]
    reason = "" if errors else f"kernel '{name}' cannot be simulated: {'; '.join(trace.incomplete)}"
    return Rejected(errors or found, reason)


def _described(argument: Any) -> Any:
    """What the compiler needs to know of an argument."""
    if hasattr(argument, "is_contiguous"):
        dtype = dtype_of(argument)
        if dtype is None:
            raise TypeError(f"tensors of {argument.dtype} do not exist on the NPU")
        return TensorArgument(tuple(argument.shape), dtype)
    return argument


def _bound(
    program: PtoProgram, values: Mapping[str, Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, int | float | bool]]:
    """Arrays and numbers by the names of the program."""
    buffers: dict[str, NDArray[Any]] = {}
    for buffer in program.parameters:
        array = to_numpy(values[buffer.name], buffer.dtype)
        flat = len(buffer.shape) == 1 and array.ndim != 1
        buffers[buffer.name] = array.reshape(-1) if flat else array
    scalars: dict[str, int | float | bool] = {}
    for name in program.scalars:
        owner, _, field = name.partition(".")
        scalars[name] = _field(values[owner], field) if field else values[name]
    return buffers, scalars


def _field(owner: Any, path: str) -> int | float | bool:
    """A field of a tiling structure: `field`, or `field[index]` of an array."""
    name, is_array, index = path.partition("[")
    value: Any = getattr(owner, name)
    number: int | float | bool = value[int(index.rstrip("]"))] if is_array else value
    return number


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """`@pl.jit`, bare or with options."""
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(f"jit() got unexpected keyword arguments: {', '.join(sorted(unknown))}")
    if callable(function):
        return ProKernelFunction(function, options)
    return lambda kernel: ProKernelFunction(kernel, options)


_OPTIONS = frozenset({"target", "arch", "auto_mutex", "name", "pipeline", "tiling_key", "datatype", "compile_timeout"})


class TilingKeyField:
    """A field of a tiling key: which values a launch may bind."""

    def __init__(self, bits: int, values: Sequence[int]) -> None:
        self.bits = bits
        self.values = list(values)


def publish(namespace: dict[str, Any]) -> None:
    """Fill the namespace of the stand-in module `pypto_pro.language`: the compiler's own values, and a live `jit`."""
    namespace.update(language().members)
    namespace["jit"] = jit
