"""Functions of the evaluated program, and how their arguments bind."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .dialect import PYTHON, Construct, Dialect
from .dispatch import Completion, evaluate, execute
from .errors import BudgetExceeded, WrongArguments
from .names import Code, FunctionNode, code_of
from .scope import Frame, Module, Scope
from .site import UNBOUND, Site
from .uncertainty import merge
from .values import Abstract, Arguments, Unknown, Value

if TYPE_CHECKING:
    from .interpreter import Interpreter

MAXIMAL_DEPTH = 120
"""Nested calls; beyond it a recursion is taken for endless."""

MAXIMAL_YIELDS = 1000
"""Items of a generator that are computed ahead; a longer generator is Unknown."""


@dataclass(frozen=True, slots=True)
class OpenArguments(Arguments):
    """Arguments with more behind them that are not known: `f(*unknown)`."""


class GeneratorCut(Exception):
    """A generator yielded more items than are computed ahead."""


class UserFunction(Abstract):
    """A function or lambda of the evaluated program, with the scope that it closes over.

    `defaults` are the values of the last positional parameters, `keyword_defaults` those of keyword-only ones.
    `decorators` are the values of its decorators, outermost first; `owner` is the class that defines it.
    `wrapped` is what `functools.wraps` says that it stands for: a kernel's helper is inlined without its wrapper.
    `evaluated_annotations` are those of a live function, which Python evaluated where the function was defined.
    `lines_above` is added to the lines of `node` to give those of the file.
    """

    type_name = "function"

    def __init__(
        self,
        name: str,
        node: FunctionNode,
        module: Module,
        scope: Scope,
        defaults: Sequence[Value] = (),
        keyword_defaults: Mapping[str, Value] | None = None,
        lines_above: int = 0,
    ) -> None:
        self.name = name
        self.node = node
        self.module = module
        self.scope = scope
        self.defaults = tuple(defaults)
        self.keyword_defaults = dict(keyword_defaults or {})
        self.lines_above = lines_above
        self.attributes: dict[str, Value] = {}
        self.decorators: list[Value] = []
        self.owner: Value = UNBOUND
        self.wrapped: Value = UNBOUND
        self.code: Code = code_of(node)
        self.evaluated_annotations: Mapping[str, Value] | None = None

    @property
    def docstring(self) -> str | None:
        return None if isinstance(self.node, ast.Lambda) else ast.get_docstring(self.node)

    def frame(self, interpreter: Interpreter, dialect: Dialect = PYTHON) -> Frame:
        """A frame in which the defaults, annotations and names of the function can be evaluated."""
        return Frame(interpreter, self.module, self.scope, self.name, None, dialect, self.lines_above)

    def annotations(self, interpreter: Interpreter) -> dict[str, Value]:
        """Values of the annotations of the parameters that have one."""
        if self.evaluated_annotations is not None:
            return dict(self.evaluated_annotations)
        frame = self.frame(interpreter)
        arguments = self.node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return {
            parameter.arg: evaluate(frame, parameter.annotation)
            for parameter in every
            if parameter.annotation is not None
        }

    def get_attribute(self, name: str, site: Site) -> Value:
        if name in self.attributes:
            return self.attributes[name]
        if name in ("__name__", "__qualname__"):
            return self.name
        if name == "__wrapped__" and self.wrapped is not UNBOUND:
            return self.wrapped
        if name == "__doc__":
            return self.docstring
        if name == "__module__":
            return self.module.name
        if name.startswith("__"):
            return Unknown(name)
        return super().get_attribute(name, site)

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        site.interpreter.mutating(self.attributes)
        self.attributes[name] = value

    def call(self, arguments: Arguments, site: Site) -> Value:
        return self.invoke(site.interpreter, arguments, site)

    def enter(self, interpreter: Interpreter, arguments: Arguments, dialect: Dialect | None = None) -> Value:
        """Call as an entry point, under `dialect`."""
        return self.invoke(interpreter, arguments, None, dialect)

    def invoke(
        self, interpreter: Interpreter, arguments: Arguments, site: Site | None, dialect: Dialect | None = None
    ) -> Value:
        """Bind and evaluate; the frame takes the dialect of its caller unless given one."""
        caller = interpreter.frames[-1] if interpreter.frames else None
        dialect = dialect or (caller.dialect if caller else PYTHON)
        if isinstance(self.wrapped, UserFunction) and Construct.VARIADIC_PARAMETERS in dialect.unsupported:
            return self.wrapped.invoke(interpreter, arguments, site, dialect)
        scope = Scope(self.scope, self.code)
        origin = site.origin if site else None
        frame = Frame(interpreter, self.module, scope, self.name, origin, dialect, self.lines_above)
        frame.is_entry = site is None
        try:
            bind(self, arguments, scope.variables)
        except WrongArguments as error:
            place = caller or frame
            return interpreter.fail(error, place, site.node if site else self.node)
        frame.parent_class = self.owner
        frame.receiver = next(iter(scope.variables.values()), UNBOUND)
        if self.node.args.vararg or self.node.args.kwarg:
            frame.refuse(Construct.VARIADIC_PARAMETERS, self.node)
        if len(interpreter.frames) >= MAXIMAL_DEPTH:
            raise BudgetExceeded(site.origin if site else frame.origin(self.node))
        given = dict(scope.variables) if frame.dialect.parameters_by_reference else {}
        value = self._evaluate(interpreter, frame)
        if given and caller is not None:
            _rebind_by_reference(caller, given, scope)
        return value

    def _evaluate(self, interpreter: Interpreter, frame: Frame) -> Value:
        node = self.node
        interpreter.step(frame, node)
        interpreter.frames.append(frame)
        try:
            if isinstance(node, ast.Lambda):
                return evaluate(frame, node.body)
            if self.code.is_generator:
                return _collected(frame, node)
            return frame.dialect.result_of_call(frame, _result(frame, execute(frame, node.body)))
        finally:
            interpreter.uncertain -= frame.uncertain
            interpreter.frames.pop()

    def describe(self) -> str:
        return f"function {self.name}"


class BoundMethod(Abstract):
    """A callable with a receiver in front of its arguments."""

    type_name = "method"

    def __init__(self, function: Value, receiver: Value) -> None:
        self.function = function
        self.receiver = receiver

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "__self__":
            return self.receiver
        if name == "__func__":
            return self.function
        value: Value = self.function.get_attribute(name, site)
        return value

    def call(self, arguments: Arguments, site: Site) -> Value:
        kind = type(arguments)
        return site.call(self.function, kind((self.receiver, *arguments.positional), arguments.keywords))

    def describe(self) -> str:
        return str(self.function.describe())


class Partial(Abstract):
    """`functools.partial`."""

    type_name = "partial"

    def __init__(self, function: Value, arguments: Arguments) -> None:
        self.function = function
        self.arguments = arguments

    def get_attribute(self, name: str, site: Site) -> Value:
        parts = {"func": self.function, "args": self.arguments.positional, "keywords": dict(self.arguments.keywords)}
        return parts[name] if name in parts else super().get_attribute(name, site)

    def call(self, arguments: Arguments, site: Site) -> Value:
        kind = type(arguments)
        keywords = {**dict(self.arguments.keywords), **dict(arguments.keywords)}
        return site.call(self.function, kind((*self.arguments.positional, *arguments.positional), keywords))


def bind(function: UserFunction, arguments: Arguments, variables: Any) -> None:
    """Bind `arguments` to the parameters of `function`; WrongArguments where they do not fit."""
    signature = function.node.args
    positional = [parameter.arg for parameter in (*signature.posonlyargs, *signature.args)]
    positional_only = {parameter.arg for parameter in signature.posonlyargs}
    keyword_only = [parameter.arg for parameter in signature.kwonlyargs]
    given = arguments.positional
    variables.update(zip(positional, given, strict=False))
    if signature.vararg:
        variables[signature.vararg.arg] = tuple(given[len(positional) :])
    elif len(given) > len(positional):
        raise WrongArguments(_too_many(function, len(positional), len(given)))
    extra: dict[str, Value] = {}
    acceptable = {*positional, *keyword_only} - positional_only
    for name, value in dict(arguments.keywords).items():
        if name not in acceptable:
            if not signature.kwarg:
                raise WrongArguments(f"{function.name}() got an unexpected keyword argument '{name}'")
            extra[name] = value
        elif name in variables:
            raise WrongArguments(f"{function.name}() got multiple values for argument '{name}'")
        else:
            variables[name] = value
    if signature.kwarg:
        variables[signature.kwarg.arg] = extra
    _bind_defaults(function, positional, keyword_only, isinstance(arguments, OpenArguments), variables)


def _bind_defaults(
    function: UserFunction, positional: list[str], keyword_only: list[str], open_ended: bool, variables: Any
) -> None:
    defaults = dict(zip(positional[len(positional) - len(function.defaults) :], function.defaults, strict=False))
    defaults.update(function.keyword_defaults)
    missing: list[str] = []
    for name in (*positional, *keyword_only):
        if name in variables:
            continue
        if open_ended:
            variables[name] = Unknown(name)
        elif name in defaults:
            variables[name] = defaults[name]
        else:
            missing.append(name)
    if missing:
        raise WrongArguments(_missing(function, [n for n in missing if n in positional], missing))


def _too_many(function: UserFunction, expected: int, given: int) -> str:
    least = expected - len(function.defaults)
    count = f"{expected}" if least == expected else f"from {least} to {expected}"
    plural = "" if count == "1" else "s"
    verb = "was" if given == 1 else "were"
    return f"{function.name}() takes {count} positional argument{plural} but {given} {verb} given"


def _missing(function: UserFunction, positional: list[str], every: list[str]) -> str:
    names, kind = (positional, "positional") if positional else (every, "keyword-only")
    quoted = [f"'{name}'" for name in names]
    listed = f"{', '.join(quoted[:-1])}, and {quoted[-1]}" if len(quoted) > 2 else " and ".join(quoted)
    plural = "" if len(names) == 1 else "s"
    return f"{function.name}() missing {len(names)} required {kind} argument{plural}: {listed}"


def _result(frame: Frame, completion: Completion | None) -> Value:
    value = completion.value if completion is not None and completion.kind == "return" else None
    for pending in frame.pending_returns:
        value = merge(value, pending)
    return value


def _collected(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Value:
    frame.pending_yields = []
    try:
        execute(frame, node.body)
    except GeneratorCut:
        return Unknown("long generator")
    return Unknown("generator") if frame.uncertain else iter(frame.pending_yields)


def _rebind_by_reference(caller: Frame, given: Mapping[str, Value], scope: Scope) -> None:
    for name, original in given.items():
        current = scope.variables.get(name)
        if current is None or current is original:
            continue
        variables = caller.variables
        holder = next((key for key in sorted(variables) if variables[key] is original), None)
        if holder is not None:
            variables[holder] = current
