"""From a kernel to its PTO program: the kernel is traced once for each kind of core."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..diagnostics.rules import pt903_not_modelled
from ..evaluate.classes import UserClass
from ..evaluate.functions import UserFunction
from ..evaluate.interpreter import Interpreter
from ..evaluate.values import Arguments, Unknown, Value, is_unknown
from ..hardware import CoreKind
from ..origin import Origin, Span
from ..pto.program import Buffer, CoreProgram, Launch, PtoProgram
from ..targets import Target
from .current import tracing
from .dialect import ProDialect
from .kernel import with_names
from .parameters import Parameters, TensorArgument, parameters_of
from .settle import settle
from .tracer import Tracer
from .verify import verify

_NAMES = {CoreKind.AIC: "cube", CoreKind.AIV: "vector"}


@dataclass
class ProTrace:
    """A traced kernel. `program` is None where it cannot be run: `incomplete` and the errors say why."""

    program: PtoProgram | None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)


Argument = TensorArgument | Value


def trace_pro_kernel(
    function: UserFunction,
    arguments: Sequence[Argument],
    target: Target,
    interpreter: Interpreter,
    options: Mapping[str, Any] | None = None,
    constants: Mapping[str, Value] | None = None,
) -> ProTrace:
    """The program of `function` on `target`.

    `arguments` give the shapes of tensors where the launch is known; parameters beyond them are what their annotations
    say. `options` are those of the decorator, `constants` names that the launch binds in the kernel.
    """
    diagnostics: list[Diagnostic] = []
    inner = Interpreter(interpreter.environment, interpreter.remaining, diagnostics.append)
    if not is_device_function(function):
        return ProTrace(None, [], ["a function without a parameter on the device is host code"])
    names = {**_unbound_names(options or {}), **(constants or {})}
    bound = with_names(function, names) if names else function
    return _traced(bound, arguments, target, inner, {**(options or {}), "constants": names}, diagnostics)


def is_device_function(function: UserFunction) -> bool:
    """Whether a decorated function is a kernel: one without annotations only calls kernels."""
    return any(parameter.annotation is not None for parameter in function.node.args.args)


def _unbound_names(options: Mapping[str, Any]) -> dict[str, Value]:
    """Names that each launch binds: fields of the tiling key, element types by name."""
    key, types = options.get("tiling_key"), options.get("datatype")
    names = list(key.attributes) if isinstance(key, UserClass) else []
    names.extend(types.values() if isinstance(types, dict) else ())
    return {name: Unknown(name) for name in names if isinstance(name, str) and not name.startswith("_")}


def _traced(
    function: UserFunction,
    arguments: Sequence[Argument],
    target: Target,
    interpreter: Interpreter,
    options: Mapping[str, Any],
    diagnostics: list[Diagnostic],
) -> ProTrace:
    origin = _origin(function)
    parameters = parameters_of(function, arguments, interpreter, options["constants"])
    incomplete = list(parameters.incomplete)
    if options.get("pipeline") is not None:
        interpreter.report(pt903_not_modelled.RULE.at(origin, name="pl.pipeline"))
        incomplete.append("pl.pipeline is not modelled")
    tracers: dict[CoreKind, Tracer] = {}
    for core in (CoreKind.AIC, CoreKind.AIV):
        tracer = Tracer(core, target, interpreter.report, bool(options.get("auto_mutex", True)), origin)
        tracer.constants = options["constants"]
        with tracing(tracer):
            result = interpreter.run(function, Arguments(parameters.values(tracer)), ProDialect())
        if is_unknown(result) and result.reason == "not finished":
            tracer.incomplete.append("the kernel could not be evaluated to its end")
        tracers[core] = tracer
    sections = tracers[CoreKind.AIC].sections | tracers[CoreKind.AIV].sections
    wanted = [core for core in tracers if not sections or core in sections]
    for core in wanted:
        incomplete.extend(reason for reason in tracers[core].incomplete if reason not in incomplete)
    if incomplete or any(found.severity is Severity.ERROR for found in diagnostics):
        return ProTrace(None, diagnostics, incomplete)
    cores = {_NAMES[core]: _core_program(tracers[core], parameters) for core in wanted}
    verify(cores, interpreter.report)
    if any(found.severity is Severity.ERROR for found in diagnostics):
        return ProTrace(None, diagnostics)
    cube, vector = (name if name in cores else None for name in _NAMES.values())
    launch = Launch(cube, vector, origin)
    program = PtoProgram(
        function.name,
        "pro",
        target.name,
        tuple(parameters.buffers),
        tuple(parameters.scalars),
        (),
        cores,
        (launch,),
        origin,
    )
    return ProTrace(program, diagnostics)


def _core_program(tracer: Tracer, parameters: Parameters) -> CoreProgram:
    buffers: tuple[Buffer, ...] = tuple(parameters.buffers)
    return CoreProgram(
        _NAMES[tracer.core],
        tracer.core,
        tuple(buffer.name for buffer in buffers),
        (*parameters.scalars, *parameters.extents),
        settle(tracer.body, tracer.settled),
        tracer.root_origin,
        dict(tracer.on_chip),
    )


def _origin(function: UserFunction) -> Origin:
    node: ast.AST = function.node
    line: int = getattr(node, "lineno", 1)
    column: int = getattr(node, "col_offset", 0)
    end_line: int = getattr(node, "end_lineno", None) or line
    end_column: int = getattr(node, "end_col_offset", None) or column
    above = function.lines_above
    return Origin(Span(function.module.file, line + above, column, end_line + above, end_column), function.name)
