"""Names from the source of a workspace: modules evaluated on demand, kernels and their calls collected on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING

from .arrays import modules as arrays
from .dispatch import execute
from .interpreter import Interpreter
from .library import host, standard, testing
from .library.dataclass import MODULE as DATACLASSES
from .library.module import LibraryModule
from .scope import Frame, Module
from .site import Site
from .values import Arguments, Unknown, Value

if TYPE_CHECKING:
    from .kernels import Kernel, Specialisation

LIBRARY: Mapping[str, Value] = {
    **standard.MODULES,
    **host.MODULES,
    **testing.MODULES,
    **arrays.MODULES,
    "dataclasses": DATACLASSES,
}


@dataclass(frozen=True)
class ModuleSource:
    """A module of the workspace. `complete` is False where its text has syntax errors.

    `lines_above` has for each statement of `tree` what is added to its lines to give those of the file; empty: nothing.
    """

    name: str
    file: str
    tree: ast.Module
    complete: bool = True
    lines_above: Sequence[int] = ()

    def placed(self) -> Iterator[tuple[int, ast.stmt]]:
        """Each statement, behind what is added to its lines."""
        return zip(self.lines_above or repeat(0), self.tree.body, strict=False)


class FoundCall(Exception):
    """The call for whose sake the evaluation was made has been recorded."""


Resolver = Callable[[str], "ModuleSource | None"]


@dataclass
class StaticEnvironment:
    """Evaluates modules from their source, never running them.

    `resolve` gives the source of a module of the workspace by its dotted name, None for any other module. `modules` are
    the module objects that the modes supply, by import name: `pypto`, `pypto_pro.language`. `variables` are the
    environment variables that are known. Evaluating a module takes at most `budget` steps, a host function
    `call_budget`. The first kernel of the file and name `wanted` ends the evaluation by FoundCall when it is called.
    """

    resolve: Resolver
    modules: Mapping[str, Value] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    budget: int = 50_000
    call_budget: int = 20_000
    wanted: tuple[str, str] | None = None
    kernels: list[Kernel] = field(default_factory=list)
    specialisations: list[Specialisation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._loaded: dict[str, Value | None] = {}

    def import_module(self, name: str, site: Site) -> Value:
        found = self.find_module(name, site)
        return Unknown(f"module {name}") if found is None else found

    def find_module(self, name: str, site: Site) -> Value | None:
        if name in self._loaded:
            return self._loaded[name]
        source = self.resolve(name) if name not in self.modules else None
        if source is not None:
            return self.load(source)
        found = self.modules.get(name, LIBRARY.get(name))
        if found is None:
            found = self._member_of_parent(name, site)
        self._loaded[name] = found
        return found

    def load(self, source: ModuleSource) -> Module:
        """The module of `source`, evaluated once; while it is under way its missing names are Unknown."""
        loaded = self._loaded.get(source.name)
        if isinstance(loaded, Module):
            return loaded
        module = Module(source.name, source.file)
        module.scope.variables.update({"__name__": source.name, "__file__": source.file, "__doc__": None})
        module.open = not source.complete
        module.loading = True
        self._loaded[source.name] = module
        interpreter = self.interpreter()
        try:
            interpreter.guarded(lambda: _execute(interpreter.frame_of(module), source))
        finally:
            module.loading = False
        return module

    def interpreter(self) -> Interpreter:
        """A silent interpreter, for module code."""
        return Interpreter(self, self.budget)

    def call(self, function: Value, arguments: Arguments) -> Value:
        """Call host code, to find the kernels that it calls; nothing is reported."""
        return Interpreter(self, self.call_budget, cuts_loops=True).run(function, arguments)

    def wrap(self, value: Value) -> Value:
        """Nothing is foreign here."""
        return value

    def record(self, specialisation: Specialisation) -> None:
        """Keep a call of a kernel; FoundCall where it is the wanted one."""
        self.specialisations.append(specialisation)
        if self.wanted is not None and specialisation.kernel is self._wanted_kernel():
            raise FoundCall

    def _wanted_kernel(self) -> Kernel | None:
        named = (kernel for kernel in self.kernels if (kernel.function.module.file, kernel.name) == self.wanted)
        return next(named, None)

    def _member_of_parent(self, name: str, site: Site) -> Value | None:
        parent, _, leaf = name.rpartition(".")
        if not parent:
            return None
        module = self.find_module(parent, site)
        if isinstance(module, LibraryModule):
            return module.members.get(leaf)
        if module is None or isinstance(module, Module):
            return None
        value = module.get_attribute(leaf, site)
        return None if isinstance(value, Unknown) else value


def _execute(frame: Frame, source: ModuleSource) -> None:
    for above, statement in source.placed():
        frame.lines_above = above
        if execute(frame, [statement]) is not None:
            break
