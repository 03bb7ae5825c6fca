"""Decorators of Pro mode, and the functions under them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from ..diagnostics.rules import pt602_unknown_keyword
from ..evaluate.functions import UserFunction
from ..evaluate.kernels import Kernel, define
from ..evaluate.names import Code
from ..evaluate.scope import Scope
from ..evaluate.site import UNBOUND, Site
from ..evaluate.values import Abstract, Arguments, Builtin, Value
from ..hardware import Pipe
from .current import tracer
from .namespace import vector_namespace
from .registers import targets_of
from .tiles import Pointer, Tile, pointer_at

_OPTIONS = frozenset(
    {
        "target",
        "arch",
        "auto_mutex",
        "name",
        "pipeline",
        "tiling_key",
        "datatype",
        "compile_timeout",
        "func_type",
        "strict_ssa",
    }
)


class ProKernel(Kernel):
    """A function under `@pl.jit` or `@pl.kernel`. `kernel[stream, blocks]` is a launch to be called."""

    def get_item(self, key: Value, site: Site) -> Value:
        return _Launch(self, key)


class _Launch(Abstract):
    type_name = "launch"

    def __init__(self, kernel: ProKernel, shape: Value) -> None:
        self.kernel = kernel
        self.shape = shape

    def call(self, arguments: Arguments, site: Site) -> Value:
        self.kernel.record(arguments, site, self.shape)
        return None


class Decorator(Builtin):
    """`pl.jit`: with or without arguments of its own."""

    def __init__(self, name: str, mode: str) -> None:
        super().__init__(f"pl.{name}")
        self.mode = mode

    def call(self, arguments: Arguments, site: Site) -> Value:
        options = dict(arguments.keywords)
        for keyword in options:
            if keyword not in _OPTIONS:
                rule = pt602_unknown_keyword.RULE
                names = ", ".join(sorted(_OPTIONS))
                site.report(
                    rule.at(
                        site.argument_origin(keyword),
                        call=self.name,
                        keyword=keyword,
                        suggestion="",
                        suggestion_zh="",
                        signature=f"{self.name}({names})",
                    )
                )
        if arguments.positional and isinstance(arguments.positional[0], UserFunction):
            return define(ProKernel(arguments.positional[0], self.mode, options), site)
        return _Configured(lambda function, place: define(ProKernel(function, self.mode, options), place))


class _Configured(Builtin):
    """A decorator that has its arguments and waits for the function."""

    def __init__(self, build: Callable[[UserFunction, Site], Value]) -> None:
        super().__init__("decorator")
        self.build = build

    def call(self, arguments: Arguments, site: Site) -> Value:
        function = arguments.positional[0] if arguments.positional else None
        return self.build(function, site) if isinstance(function, UserFunction) else function


class VectorFunction(Abstract):
    """A function under `@pl.vector_function`: register code of the vector unit, inlined where it is called."""

    type_name = "vector function"

    def __init__(self, function: Any) -> None:
        self.function = function

    def call(self, arguments: Arguments, site: Site) -> Value:
        """The caller holds the tokens of all tiles that the function uses, on the vector pipe."""
        trace = tracer()
        trace.origin = site.origin
        function = site.interpreter.environment.wrap(self.function)
        with trace.mutex.held(Pipe.V, _used(function, arguments), site.origin):
            if not isinstance(function, UserFunction):
                return trace.give_up("the vector function is not known")
            outer = trace.registers.targets
            trace.vector_functions += 1
            trace.registers.call += 1
            trace.registers.targets = targets_of(function)
            try:
                inlined = _with_registers(function)
                return site.call(inlined, Arguments(tuple(map(_as_pointer, arguments.positional)), arguments.keywords))
            finally:
                trace.vector_functions -= 1
                trace.registers.targets = outer

    def describe(self) -> str:
        return "vector function"


def with_names(function: UserFunction, names: Mapping[str, Value]) -> UserFunction:
    """`function` with more names around it."""
    scope = Scope(function.scope, Code(frozenset(names)), dict(names))
    made = UserFunction(
        function.name,
        function.node,
        function.module,
        scope,
        function.defaults,
        function.keyword_defaults,
        function.lines_above,
    )
    made.owner = function.owner
    made.evaluated_annotations = function.evaluated_annotations
    return made


def _with_registers(function: UserFunction) -> UserFunction:
    """The function with the names of the launch, and `vf`, which the official front end knows without an import."""
    names = dict(tracer().constants)
    if function.scope.find("vf") is UNBOUND:
        names["vf"] = vector_namespace()
    return with_names(function, names) if names else function


def _as_pointer(value: Value) -> Value:
    """A tile as the pointer that the function moves along it."""
    return pointer_at(value, 0) if isinstance(value, Tile) else value


def _used(function: Value, arguments: Arguments) -> list[Value]:
    """The tiles among the arguments whose parameter occurs in the function's body."""
    tiles = [value for value in arguments.positional if isinstance(value, (Tile, Pointer))]
    if not isinstance(function, UserFunction) or isinstance(function.node, ast.Lambda):
        return tiles
    names = {node.id for statement in function.node.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    parameters = [parameter.arg for parameter in function.node.args.args]
    return [value for name, value in zip(parameters, arguments.positional, strict=False) if name in names]


class VectorFunctionDecorator(Builtin):
    """`pl.vector_function`."""

    def __init__(self) -> None:
        super().__init__("pl.vector_function")

    def call(self, arguments: Arguments, site: Site) -> Value:
        if arguments.positional:
            return VectorFunction(arguments.positional[0])
        return self

    def __call__(self, function: Any = None) -> Any:
        return self if function is None else VectorFunction(function)


class PipelineDecorator(Builtin):
    """`pl.pipeline.stage`: marks a helper; it is inlined like any other."""

    def __init__(self) -> None:
        super().__init__("pl.pipeline.stage")

    def call(self, arguments: Arguments, site: Site) -> Value:
        return arguments.positional[0] if arguments.positional else self

    def __call__(self, function: Any = None, **_: Any) -> Any:
        return self if function is None else function
