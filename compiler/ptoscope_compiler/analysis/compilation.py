"""Compiling one kernel of a file without running it: shapes come from its calls, its signature or the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..collector import uncollected
from ..diagnostics.diagnostic import Diagnostic, Severity
from ..evaluate.interpreter import Interpreter
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..evaluate.values import Unknown, Value
from ..ir.kernel import TensorKernel
from ..pipeline import CompilationFailed, compile_tensor_kernel
from ..pro_mode.parameters import TensorArgument as ProTensorArgument
from ..pro_mode.trace import trace_pro_kernel
from ..pto.program import PtoProgram
from ..query import Database
from ..targets import Target
from ..tensor_mode.kernel import TensorModeKernel
from ..tensor_mode.launch import mismatch
from ..tensor_mode.trace import TensorArgument, trace_kernel
from .arguments import in_order, shape_and_dtype
from .host import Host, host, host_until_call

Shape = tuple[int, ...]
Observe = Callable[[str, Any], None]


class NoSuchKernel(Exception):
    """The file has no kernel of that name, or none at all; the message says which there are."""


class CannotCompile(Exception):
    """No program could be made; `diagnostics` are the findings that leave none."""

    def __init__(self, reason: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(reason)


@dataclass(frozen=True)
class Compiled:
    """A kernel under one specialisation.

    `kernel` is the Tensor Graph of a Tensor-mode kernel. `shapes` has the shape of each tensor parameter whose call is
    known, in elements; `findings` what was found on the way.
    """

    program: PtoProgram
    kernel: TensorKernel | None
    shapes: Mapping[str, Shape]
    findings: tuple[Diagnostic, ...]


def kernel_names(database: Database, path: str) -> tuple[str, ...]:
    """Names of the kernels that the file defines, each once, in the order of the text."""
    found = host(database, path)
    return tuple(dict.fromkeys(kernel.name for kernel in found.kernels)) if found is not None else ()


@uncollected()
def compile_kernel(
    database: Database,
    path: str,
    name: str | None,
    target: Target,
    shapes: Mapping[str, Shape] | None = None,
    observe: Observe | None = None,
) -> Compiled:
    """The program of kernel `name` (None: the only one) of the file at `path`.

    `shapes` replaces what calls and annotations say of the tensor parameters it names. NoSuchKernel, CannotCompile.
    """
    found = host(database, path) if name is None else host_until_call(database, path, name)
    kernel = _chosen(path, found, name)
    assert found is not None
    call = next((call for call in found.calls if call.kernel is kernel), None)
    compiling = _compile_tensor if isinstance(kernel, TensorModeKernel) else _compile_pro
    return compiling(kernel, call, target, found.environment, shapes or {}, observe)


def _chosen(path: str, found: Host | None, name: str | None) -> Kernel:
    kernels = found.kernels if found is not None else ()
    names = list(dict.fromkeys(kernel.name for kernel in kernels))
    if not names:
        raise NoSuchKernel(f"{path}: no PyPTO kernel in this file")
    if name is None and len(names) > 1:
        raise NoSuchKernel(f"{path}: several kernels; name one as FILE::KERNEL: {', '.join(names)}")
    if name is not None and name not in names:
        raise NoSuchKernel(f"{path}: no kernel '{name}'; this file has {', '.join(names)}")
    return next(kernel for kernel in kernels if kernel.name == (name or names[0]))


def _arguments(
    kernel: Kernel, call: Specialisation | None, shapes: Mapping[str, Shape], make: Callable[[Shape, Any], Value]
) -> tuple[list[Value], dict[str, Shape]]:
    """The arguments of the call as a trace takes them, and the shapes of the tensors among them."""
    parameters = [
        parameter.arg for parameter in (*kernel.function.node.args.posonlyargs, *kernel.function.node.args.args)
    ]
    unknown = [name for name in shapes if name not in parameters]
    if unknown:
        raise NoSuchKernel(f"kernel '{kernel.name}' has no parameter '{unknown[0]}'; it has {', '.join(parameters)}")
    given = in_order(kernel.function, call.arguments) if call is not None else [Unknown(name) for name in parameters]
    values: list[Value] = []
    known: dict[str, Shape] = {}
    for name, value in zip(parameters, given, strict=True):
        array = shape_and_dtype(value)
        shape = shapes.get(name, array[0] if array is not None else None)
        if shape is not None:
            known[name] = shape
            value = make(shape, array[1] if array is not None else None)
        values.append(value)
    return values, known


def _compile_tensor(
    kernel: Kernel,
    call: Specialisation | None,
    target: Target,
    environment: StaticEnvironment,
    shapes: Mapping[str, Shape],
    observe: Observe | None,
) -> Compiled:
    assert isinstance(kernel, TensorModeKernel)
    arguments, known = _arguments(kernel, call, shapes, TensorArgument)
    settings = call.launch if call is not None else None
    interpreter = Interpreter(environment)
    reason = mismatch(kernel.function, arguments, interpreter)
    if reason is not None:
        raise CannotCompile(reason)
    trace = trace_kernel(kernel.function, arguments, target, interpreter, kernel.session, settings, kernel.options)
    _refuse_errors(kernel, trace.diagnostics)
    if trace.kernel is None:
        raise CannotCompile(
            f"kernel '{kernel.name}' cannot be compiled from its text alone: a shape or value is not known here "
            f"(give shapes with --shape, or judge the script's own call)",
            trace.diagnostics,
        )
    findings = list(trace.diagnostics)
    if observe is not None:
        observe("Trace", trace.kernel)
    try:
        program = compile_tensor_kernel(trace.kernel, target, observe=observe, report=findings.append)
    except CompilationFailed as failure:
        raise CannotCompile(str(failure), failure.diagnostics) from None
    return Compiled(program, trace.kernel, known, tuple(findings))


def _compile_pro(
    kernel: Kernel,
    call: Specialisation | None,
    target: Target,
    environment: StaticEnvironment,
    shapes: Mapping[str, Shape],
    observe: Observe | None,
) -> Compiled:
    arguments, known = _arguments(kernel, call, shapes, ProTensorArgument)
    trace = trace_pro_kernel(kernel.function, arguments, target, Interpreter(environment), kernel.options)
    _refuse_errors(kernel, trace.diagnostics)
    if trace.program is None:
        reasons = "; ".join(trace.incomplete) or "a value is not known here"
        raise CannotCompile(f"kernel '{kernel.name}' cannot be compiled: {reasons}", trace.diagnostics)
    return Compiled(trace.program, None, known, tuple(trace.diagnostics))


def _refuse_errors(kernel: Kernel, findings: Sequence[Diagnostic]) -> None:
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        raise CannotCompile(f"kernel '{kernel.name}' has errors", errors)
