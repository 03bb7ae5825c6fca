"""Evaluating a file as its host would run it, to find its kernels and the calls that give them their shapes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from ..evaluate.dispatch import execute
from ..evaluate.functions import UserFunction
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.library.testing import parameter_sets
from ..evaluate.scope import Module
from ..evaluate.static_environment import FoundCall, ModuleSource, StaticEnvironment
from ..evaluate.values import Arguments, Unknown, Value
from ..query import Database, query
from ..source.file import SourceFile
from . import broken_statements, modes
from .files import code, is_folder
from .modules import find_module, module_name
from .spans import Files

_REGISTERED = (broken_statements,)


@dataclass(frozen=True, eq=False)
class Host:
    """A file evaluated. `kernels` are those that it defines, `calls` those that it makes, of its own or of others.

    `files` are the texts that were read, with whatever is imported later on.
    """

    environment: StaticEnvironment
    files: Files
    kernels: tuple[Kernel, ...]
    calls: tuple[Specialisation, ...]


@query
def host(database: Database, path: str) -> Host | None:
    """The evaluation of a file; None where there is no text."""
    return _evaluated(database, path, None)


@query
def host_until_call(database: Database, path: str, name: str) -> Host | None:
    """The evaluation of a file up to its first call of kernel `name`, in the state of the host at that call."""
    return _evaluated(database, path, (path, name))


def _evaluated(database: Database, path: str, wanted: tuple[str, str] | None) -> Host | None:
    files: dict[str, SourceFile | None] = {}
    own = _module_source(database, path, module_name(database, path), files)
    if own is None:
        return None

    def resolve(name: str) -> ModuleSource | None:
        found = path if name == own.name else find_module(database, name, path)
        return None if found is None else _module_source(database, found, name, files)

    environment = StaticEnvironment(resolve, modes.modules(), wanted=wanted)
    with suppress(FoundCall):
        _run(environment.load(own), own, environment)
    kernels = tuple(kernel for kernel in environment.kernels if kernel.function.module.file == path)
    return Host(environment, files, kernels, tuple(environment.specialisations))


def _module_source(
    database: Database, path: str, name: str, files: dict[str, SourceFile | None]
) -> ModuleSource | None:
    """The module in a file, or the empty one of a folder; its text is noted in `files`."""
    read = code(database, path)
    if read is None:
        return ModuleSource(name, path, ast.Module([], [])) if is_folder(database, path) else None
    file = files[path] = read.file
    placed = [(part.line - 1, statement) for part in file.parts for statement in part.lowered.statements]
    tree = ast.Module([statement for _, statement in placed], [])
    return ModuleSource(name, path, tree, not file.problems, [above for above, _ in placed])


def _run(module: Module, source: ModuleSource, environment: StaticEnvironment) -> None:
    """Run the script's own entry, then its tests, then whatever else may build or call a kernel that is still unmet."""
    interpreter = environment.interpreter()
    for above, block in _main_blocks(source):
        frame = interpreter.frame_of(module)
        frame.lines_above = above
        interpreter.guarded(lambda frame=frame, block=block: execute(frame, block))  # type: ignore[misc]
    functions = list(_functions(module))
    for value, function in functions:
        if function.name.startswith("test"):
            for parameters in parameter_sets(function):
                environment.call(value, _arguments(function, parameters))
    for value, function in functions:
        if _may_meet_more(function, environment):
            environment.call(value, _arguments(function, {}))


def _main_blocks(source: ModuleSource) -> Iterator[tuple[int, list[ast.stmt]]]:
    """Bodies of `if __name__ == "__main__":`, each behind what is added to its lines."""
    for above, statement in source.placed():
        if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare):
            sides = (statement.test.left, *statement.test.comparators)
            if any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides):
                yield above, statement.body


def _functions(module: Module) -> Iterator[tuple[Value, UserFunction]]:
    """The functions that the module defines, each with the value that its decorators have made of it."""
    for value in list(module.scope.variables.values()):
        function = value if isinstance(value, (UserFunction, Kernel)) else getattr(value, "function", None)
        if (
            isinstance(function, UserFunction)
            and function.module is module
            and isinstance(function.node, ast.FunctionDef)
        ):
            yield value, function


def _may_meet_more(function: UserFunction, environment: StaticEnvironment) -> bool:
    """Whether calling it may define a kernel that is not yet known, or call one that nobody has called."""
    uses = _uses_of(function.node)
    known = {id(kernel.function.node) for kernel in environment.kernels}
    called = {call.kernel.name for call in environment.specialisations}
    uncalled = {kernel.name for kernel in environment.kernels} - called
    return any(id(node) not in known for node in uses.decorated) or not uncalled.isdisjoint(uses.called)


@dataclass(frozen=True, slots=True)
class _Uses:
    """What is written within a function: decorated functions, and the names that it calls."""

    decorated: tuple[ast.FunctionDef, ...]
    called: frozenset[str]


_uses: WeakKeyDictionary[ast.AST, _Uses] = WeakKeyDictionary()


def _uses_of(function: ast.AST) -> _Uses:
    found = _uses.get(function)
    if found is None:
        nodes = [node for node in ast.walk(function) if node is not function]
        decorated = tuple(node for node in nodes if isinstance(node, ast.FunctionDef) and node.decorator_list)
        calls = (node.func for node in nodes if isinstance(node, ast.Call))
        found = _Uses(decorated, frozenset(callee.id for callee in calls if isinstance(callee, ast.Name)))
        _uses[function] = found
    return found


def _arguments(function: UserFunction, given: Mapping[str, Value]) -> Arguments:
    """`given`, and Unknown for whatever else has no default."""
    parameters = function.node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    required = positional[: len(positional) - len(function.defaults)]
    required.extend(parameter for parameter in parameters.kwonlyargs if parameter.arg not in function.keyword_defaults)
    unknown = {parameter.arg: Unknown(parameter.arg) for parameter in required}
    return Arguments((), {**unknown, **given})
