"""The trace of one kernel for one kind of core: the program under construction and the state that goes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..diagnostics.diagnostic import Report
from ..dtype import DType
from ..evaluate.values import Unknown, Value
from ..hardware import CoreKind
from ..origin import Origin
from ..pto.program import Assign, Statement
from ..scalar import Scalar, ScalarLike, Symbol
from ..targets import Target
from .cells import Cell
from .control import Control
from .deferred import Deferred
from .elements import Elements
from .mutex import AutoMutex
from .registers import RegisterFile


class Tracer:
    """Where operations of `pl` put their instructions.

    `body` is the statement list being filled, `cells` every mutable scalar that exists, `origin` the operation under
    way, `settled` the variables that turned out to keep one value, `sections` the kinds of core that have code of their
    own, `incomplete` what keeps the program from being run, `constants` names that the launch binds.
    """

    def __init__(self, core: CoreKind, target: Target, report: Report, auto_mutex: bool, origin: Origin) -> None:
        self.core = core
        self.target = target
        self.report = report
        self.origin = origin
        self.body: list[Statement | Deferred] = []
        self.cells: list[Cell] = []
        self.settled: dict[str, ScalarLike] = {}
        self.constants: Mapping[str, Value] = {}
        self.vector_functions = 0
        self.sections: set[CoreKind] = set()
        self.incomplete: list[str] = []
        self.on_chip: dict[str, int] = {}
        self.root_origin = origin
        self.control = Control(self)
        self.elements = Elements(self)
        self.registers = RegisterFile(self)
        self.mutex = AutoMutex(self, auto_mutex)
        self._names: dict[str, int] = {}

    @property
    def in_vector_function(self) -> bool:
        return self.vector_functions > 0

    def emit(self, statement: Statement | Deferred) -> None:
        self.body.append(statement)

    def fresh(self, hint: str) -> str:
        """A name for a variable that no other variable has."""
        count = self._names[hint] = self._names.get(hint, 0) + 1
        return f"{hint}.{count}"

    def hold(self, hint: str, value: ScalarLike) -> ScalarLike:
        """A new variable with the value that `value` has now; `value` itself where it is known or a variable."""
        if not isinstance(value, Scalar) or isinstance(value, Symbol):
            return value
        name = self.fresh(hint)
        self.emit(Assign(name, value, self.origin))
        return Symbol(name)

    def cell(self, name: str, value: ScalarLike, dtype: DType) -> Cell:
        """A new mutable scalar that control flow keeps track of."""
        made = Cell(name, value, dtype)
        self.cells.append(made)
        return made

    def give_up(self, reason: str) -> Value:
        """Note that the program lacks something, so that it cannot run; the trace goes on."""
        self.incomplete.append(reason)
        return Unknown(reason)

    @contextmanager
    def capture(self) -> Iterator[list[Statement | Deferred]]:
        """Statements emitted within go to the list that this yields."""
        outer, self.body = self.body, []
        try:
            yield self.body
        finally:
            self.body = outer
