"""Evaluating small programs with our evaluator and with Python itself."""

from __future__ import annotations

import ast
import sys
import textwrap
import types
from dataclasses import dataclass, field
from typing import Any

from ptoscope_compiler.diagnostics.diagnostic import Diagnostic
from ptoscope_compiler.evaluate.dialect import Dialect
from ptoscope_compiler.evaluate.interpreter import DEFAULT_BUDGET, Interpreter
from ptoscope_compiler.evaluate.scope import Module
from ptoscope_compiler.evaluate.static_environment import ModuleSource, StaticEnvironment
from ptoscope_compiler.evaluate.values import Arguments


@dataclass
class Workspace:
    """Modules by dotted name, and the module objects that a mode would supply."""

    texts: dict[str, str]
    modules: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.environment = StaticEnvironment(self.source, self.modules, self.variables)

    def source(self, name: str) -> ModuleSource | None:
        text = self.texts.get(name)
        if text is None:
            return None
        return ModuleSource(name, name.replace(".", "/") + ".py", ast.parse(textwrap.dedent(text)))

    def module(self, name: str = "program") -> Module:
        source = self.source(name)
        assert source is not None
        return self.environment.load(source)

    def call(
        self,
        function: str,
        *positional: Any,
        budget: int = DEFAULT_BUDGET,
        dialect: Dialect | None = None,
        **keywords: Any,
    ) -> Any:
        """What a function of module `program` returns; findings are collected."""
        interpreter = Interpreter(self.environment, budget, self.findings.append)
        value = self.module().scope.variables[function]
        return interpreter.run(value, Arguments(positional, keywords), dialect)

    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]


def program(text: str, **options: Any) -> Workspace:
    """A workspace with one module."""
    return Workspace({"program": text}, **options)


def by_python(text: str, function: str = "f", *positional: Any) -> Any:
    """What Python itself gives for the same call."""
    module = types.ModuleType("program")
    sys.modules["program"] = module  # dataclasses look their module up
    try:
        exec(compile(textwrap.dedent(text), "program.py", "exec"), module.__dict__)
        return module.__dict__[function](*positional)
    finally:
        del sys.modules["program"]
