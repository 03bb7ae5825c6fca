"""From the source of a kernel to its Tensor Graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Diagnostic
from ..dtype import FP32, DType
from ..evaluate.interpreter import Interpreter
from ..evaluate.values import Arguments, Unknown, Value
from ..ir.graph import LogicalTensor, RawTensor
from ..ir.kernel import TensorKernel
from ..origin import Origin
from ..scalar import ScalarLike, Symbol, known
from .annotations import DYNAMIC, Declaration, TensorClass, TensorDeclaration
from .circles import check_circles
from .configuration import Settings
from .graph_rules import check_kernel
from .kernel import DIALECT
from .merge import merge
from .parameters import check_parameters, check_rebound, parameter_names, parameter_origin
from .record import AssignedValue, Record
from .segments import Segmenter
from .session import Session
from .settle import Settler
from .simplify import simplify
from .tensor import Tensor
from .tracer import Tracer

if TYPE_CHECKING:
    from ..evaluate.functions import UserFunction
    from ..targets import Target


@dataclass(frozen=True, slots=True)
class TensorArgument:
    """A tensor that a caller passes: its shape, element type and format."""

    shape: tuple[int, ...]
    dtype: DType
    format: str = "ND"


@dataclass
class Trace:
    """What tracing found. `kernel` is None where the kernel has errors or holds something that is not known.

    `values` is what the parameters and each assigned name held.
    """

    kernel: TensorKernel | None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    incomplete: list[Origin] = field(default_factory=list)
    values: list[AssignedValue] = field(default_factory=list)


def trace_kernel(
    function: UserFunction,
    arguments: Sequence[TensorArgument | Value],
    target: Target,
    interpreter: Interpreter,
    session: Session,
    settings: Settings | None = None,
    options: Mapping[str, Value] | None = None,
) -> Trace:
    """Trace `function` for `target`.

    `arguments` are those of the call, in the order of the parameters; a parameter without one takes its default, and a
    tensor without one the shape that its annotation gives. `session` is that of the `pypto` which the function sees;
    `settings` are in force at the call, `options` those of the decorator.
    """
    tracer = Tracer(target, session.configuration)
    trace = Trace(None)
    interpreter = Interpreter(interpreter.environment, interpreter.budget, trace.diagnostics.append)
    record = Record()
    interpreter.on_assign = record.add
    annotations = function.annotations(interpreter)
    with session.tracing(tracer), session.configuration.scope():
        _prepare(session, settings, options or {})
        tensors, values = _bound(function, annotations, arguments, session, tracer, interpreter)
        for name, value in values.items():
            record.add(name, value, parameter_origin(function, name, interpreter))
        interpreter.run(function, Arguments(tuple(values.values()), {}), DIALECT)
        check_rebound(function, tensors, tracer, interpreter)
        final_options = {**session.configuration.current.options, "kernel": dict(options or {})}
    trace.incomplete, trace.values = tracer.incomplete, record.values()
    origin = function.frame(interpreter).origin(function.node)
    _finish(function, origin, tracer, tensors, trace, final_options, record.names)
    return trace


def _prepare(session: Session, settings: Settings | None, options: Mapping[str, Value]) -> None:
    configuration = session.configuration
    if settings is not None:
        configuration.adopt(settings)
    for name, given in options.items():
        group = name.removesuffix("_options")
        if name.endswith("_options") and isinstance(given, dict):
            configuration.set_options(group, given)


def _bound(
    function: UserFunction,
    annotations: Mapping[str, Value],
    arguments: Sequence[TensorArgument | Value],
    session: Session,
    tracer: Tracer,
    interpreter: Interpreter,
) -> tuple[dict[str, Tensor], dict[str, Value]]:
    """Tensors of the kernel, and the values of all its parameters."""
    names = parameter_names(function)
    check_parameters(function, names, annotations, interpreter)
    defaults = dict(zip(names[len(names) - len(function.defaults) :], function.defaults, strict=False))
    tensors: dict[str, Tensor] = {}
    values: dict[str, Value] = {}
    for position, name in enumerate(names):
        given = arguments[position] if position < len(arguments) else defaults.get(name, Unknown(name))
        annotation = annotations.get(name)
        if isinstance(annotation, (Declaration, TensorClass)):
            declaration = annotation.declaration if isinstance(annotation, Declaration) else TensorDeclaration()
            origin = parameter_origin(function, name, interpreter)
            tensor = _parameter(name, declaration, given, session, tracer, origin)
            values[name] = tensor if tensor is not None else Unknown(name)
            if tensor is not None:
                tensors[name] = tensor
            else:
                tracer.give_up(origin)
        else:
            values[name] = given
    return tensors, values


def _parameter(
    name: str,
    declaration: TensorDeclaration,
    given: TensorArgument | Value,
    session: Session,
    tracer: Tracer,
    origin: Origin,
) -> Tensor | None:
    """The tensor that a parameter is; None where neither its annotation nor its argument says enough."""
    argument = given if isinstance(given, TensorArgument) else None
    if not declaration.known and argument is None:
        return None
    if argument is None and declaration.open_ended:
        return None
    rank = len(argument.shape) if argument is not None else len(declaration.dimensions)
    shape: list[ScalarLike] = []
    for axis in range(rank):
        declared = declaration.dimensions[axis] if axis < len(declaration.dimensions) else "STATIC"
        shape.append(_dimension(name, axis, declared, argument, tracer, origin))
    dtype = declaration.dtype or (argument.dtype if argument is not None else None)
    if dtype is None:
        tracer.give_up(origin)
    format = declaration.format or (argument.format if argument is not None else "ND")
    raw = tracer.builder.raw(shape, dtype or FP32, name, format=format, parameter=True)
    return Tensor(session, tracer, tracer.builder.tensor(raw), parameter=name, created=origin)


def _dimension(
    name: str, axis: int, declared: ScalarLike | str, argument: TensorArgument | None, tracer: Tracer, origin: Origin
) -> ScalarLike:
    if declared == DYNAMIC:
        return Symbol(f"{name}.shape[{axis}]")
    if not isinstance(declared, str):
        if known(declared) and argument is not None and axis < len(argument.shape):
            return argument.shape[axis]
        return declared
    if argument is not None:
        return argument.shape[axis]
    tracer.give_up(origin)
    return Symbol(f"STATIC_SHAPE_DIM({name}, {axis})")


def _finish(
    function: UserFunction,
    origin: Origin,
    tracer: Tracer,
    tensors: Mapping[str, Tensor],
    trace: Trace,
    options: Mapping[str, Value],
    names: Mapping[int, str],
) -> None:
    finals: dict[str, LogicalTensor] = {}
    raws: dict[int, tuple[RawTensor, LogicalTensor]] = {}
    parameters: list[RawTensor] = []
    for name, tensor in tensors.items():
        raw = tensor.original.raw
        parameters.append(raw)
        if tensor.storage is not tensor.original:
            finals[name] = tensor.storage
            raws[raw.id] = (raw, tensor.storage)
    nodes = simplify(tracer.nodes, finals)
    trace.diagnostics.extend(check_kernel(nodes, tracer, tensors, names))
    if tracer.incomplete or any(diagnostic.severity.value == "error" for diagnostic in trace.diagnostics):
        return
    settler = Settler(tracer.builder, raws, origin)
    settled = settler.settle(merge(nodes))
    segmenter = Segmenter(function.name, tracer.builder, settler.homes)
    body = segmenter.region(settled)
    circles = list(check_circles(body))
    trace.diagnostics.extend(circles)
    if circles:
        return
    trace.kernel = TensorKernel(
        function.name, tuple(parameters), tuple(segmenter.workspace.values()), body, origin, options
    )
