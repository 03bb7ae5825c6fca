"""Variables: scopes, modules, and the frame of one call."""

from __future__ import annotations

import ast
import builtins as python_builtins
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..origin import Origin, Span
from .dialect import PYTHON, Construct, Dialect
from .names import Code
from .site import UNBOUND, Site
from .values import Abstract, Unknown, Unsupported, Value

if TYPE_CHECKING:
    from .interpreter import Interpreter

BUILTIN_NAMES = frozenset(dir(python_builtins))


class Scope:
    """The variables of a module, a call or a class body, within those of `parent`.

    `code` tells which names belong to this scope, bound yet or not; None for modules and class bodies, where binding a
    name makes it theirs. Class scopes are invisible from the functions within them.
    """

    __slots__ = ("code", "is_class", "parent", "variables")

    def __init__(
        self,
        parent: Scope | None,
        code: Code | None = None,
        variables: MutableMapping[str, Value] | None = None,
        is_class: bool = False,
    ) -> None:
        self.parent = parent
        self.code = code
        self.variables: MutableMapping[str, Value] = {} if variables is None else variables
        self.is_class = is_class

    def find(self, name: str) -> Value:
        """The value of `name`, searched outwards; UNBOUND where there is none."""
        scope: Scope | None = self
        while scope is not None:
            if not scope.is_class or scope is self:
                value = scope.variables.get(name, UNBOUND)
                if value is not UNBOUND:
                    return value
                code = scope.code
                if code is not None:
                    if name in code.locals:
                        return UNBOUND
                    if name in code.globals:
                        return scope.root.variables.get(name, UNBOUND)
            scope = scope.parent
        return UNBOUND

    def owner(self, name: str) -> Scope:
        """The scope in which an assignment here binds `name`."""
        if self.code is None or name in self.code.locals:
            return self
        if name not in self.code.globals:
            scope = self.parent
            while scope is not None and scope.code is not None:
                if name in scope.code.locals:
                    return scope
                scope = scope.parent
        return self.root

    @property
    def root(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


class Module(Abstract):
    """A module evaluated from source, or the globals of a live one.

    `open` says that names may exist which we do not see: a star import of an unknown module, a file with syntax errors.
    `loading` says that its evaluation is still under way.
    """

    type_name = "module"

    def __init__(self, name: str, file: str, variables: MutableMapping[str, Value] | None = None) -> None:
        self.name = name
        self.file = file
        self.scope = Scope(None, variables=variables)
        self.open = False
        self.loading = False

    def get_attribute(self, name: str, site: Site) -> Value:
        value = self.scope.variables.get(name, UNBOUND)
        if value is not UNBOUND:
            return value
        submodule = site.interpreter.environment.find_module(f"{self.name}.{name}", site)
        if submodule is not None:
            return submodule
        if self.open or self.loading or "__getattr__" in self.scope.variables:
            return Unknown(f"{self.name}.{name}")
        raise Unsupported(f"module '{self.name}' has no attribute '{name}'")

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        site.interpreter.mutating(self.scope.variables)
        self.scope.variables[name] = value

    def public_names(self) -> dict[str, Value]:
        """What `from module import *` binds."""
        variables = self.scope.variables
        listed = variables.get("__all__")
        if isinstance(listed, (list, tuple)) and all(isinstance(name, str) for name in listed):
            return {name: variables[name] for name in listed if name in variables}
        return {name: variables[name] for name in list(variables) if not name.startswith("_")}

    def describe(self) -> str:
        return f"module {self.name}"


@dataclass
class LoopState:
    """A loop under evaluation. `traced` loops run once for all their iterations.

    `may_end` says that a `break` may have happened, `breaks` and `continues` hold the variables at such jumps. `floor`
    is the rest of the budget at which the loop is cut.
    """

    node: ast.AST
    traced: bool = False
    iterations: int = 0
    floor: int = 0
    may_end: bool = False
    breaks: list[dict[str, Value]] = field(default_factory=list)
    continues: list[dict[str, Value]] = field(default_factory=list)


_KEYWORDS = {ast.Try: "try", ast.FunctionDef: "def", ast.ClassDef: "class"}


def _expressions(part: ast.AST) -> Iterator[ast.expr]:
    return (node for node in ast.walk(part) if isinstance(node, ast.expr))


TRACED_BRANCH = "branch"
Region = LoopState | str


class Frame:
    """One call under evaluation. `lines_above` is added to the lines of its nodes to give those of the file."""

    __slots__ = (
        "caller", "dialect", "function_name", "interpreter", "is_entry", "lines_above", "module", "parent_class",
        "pending_returns", "pending_yields", "receiver", "regions", "scope", "uncertain",
    )  # fmt: skip

    def __init__(
        self,
        interpreter: Interpreter,
        module: Module,
        scope: Scope,
        function_name: str = "",
        caller: Origin | None = None,
        dialect: Dialect = PYTHON,
        lines_above: int = 0,
    ) -> None:
        self.interpreter = interpreter
        self.module = module
        self.scope = scope
        self.function_name = function_name
        self.caller = caller
        self.dialect = dialect
        self.lines_above = lines_above
        self.is_entry = False
        self.regions: list[Region] = []
        self.pending_returns: list[Value] = []
        self.pending_yields: list[Value] | None = None
        self.uncertain = 0
        self.receiver: Value = UNBOUND
        self.parent_class: Value = UNBOUND

    @property
    def variables(self) -> MutableMapping[str, Value]:
        return self.scope.variables

    def origin(self, node: ast.AST) -> Origin:
        """Where `node` stands, with the calls that lead here."""
        line: int = getattr(node, "lineno", 1)
        column: int = getattr(node, "col_offset", 0)
        end_line: int | None = getattr(node, "end_lineno", None)
        end_column: int | None = getattr(node, "end_col_offset", None)
        above = self.lines_above
        span = Span(
            self.module.file,
            line + above,
            column,
            (line if end_line is None else end_line) + above,
            column if end_column is None else end_column,
        )
        return Origin(span, self.function_name, self.caller)

    def header(self, node: ast.AST) -> Origin:
        """Where `node` stands, without the statements within it: `while x:` and not the whole loop."""
        whole = self.origin(node)
        if not isinstance(getattr(node, "body", None), list):
            return whole
        parts = [
            part for part in ast.iter_child_nodes(node) if isinstance(part, (ast.expr, ast.withitem, ast.arguments))
        ]
        above = self.lines_above
        ends = [
            ((end.end_lineno or 0) + above, end.end_col_offset or 0) for part in parts for end in _expressions(part)
        ]
        start = whole.span
        line, column = max(ends, default=(start.line, start.column + len(_KEYWORDS.get(type(node), ""))))
        return Origin(Span(start.file, start.line, start.column, line, column), whole.function, whole.caller)

    def store(self, name: str, value: Value) -> None:
        """Bind `name` in the scope that it belongs to."""
        scope = self.scope
        code = scope.code
        if code is not None and name not in code.locals:
            scope = scope.owner(name)
            self.interpreter.mutating(scope.variables)
        scope.variables[name] = value

    def unbind(self, name: str) -> bool:
        """Remove `name`; False where it is not bound."""
        return self.scope.variables.pop(name, UNBOUND) is not UNBOUND

    def refuse(self, construct: Construct, node: ast.AST) -> bool:
        """Report `construct` where the dialect does not have it; whether it was refused."""
        if construct not in self.dialect.unsupported or (self.dialect.helpers_are_python and not self.is_entry):
            return False
        self.interpreter.report_unsupported(construct, self, node)
        return True
