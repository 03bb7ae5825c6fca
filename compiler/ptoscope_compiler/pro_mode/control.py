"""Control flow that run time decides: branches, loops and jumps of the program under construction.

What differs between paths becomes a variable of the program: assigned in each arm of a branch, or before a loop and at
the end of its body. A variable that keeps its first value is settled to it afterwards (`settle.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import scalar
from ..dtype import INT64
from ..evaluate.operation import Operation
from ..evaluate.scope import Frame
from ..evaluate.site import UNBOUND, Branch, ForLoop, Site, WhileLoop
from ..evaluate.values import Value
from ..origin import Origin
from ..pto.program import Assign, Break, Continue, For, If, Return, Statement, While
from ..scalar import Scalar, ScalarLike, Symbol
from .cells import Cell
from .deferred import Deferred
from .merging import Leaf, alike, leaves, merge, rebuild
from .registers import Held, MaskValue, RegisterValue, copies, copy, kind_of
from .returns import HelperReturns
from .scalars import RuntimeScalar, is_scalar, lower

if TYPE_CHECKING:
    from .tracer import Tracer

_HELD = (RegisterValue, MaskValue)
Variables = Branch | ForLoop | WhileLoop


@dataclass
class _Arm:
    """One side of a branch: `tail` is where its last statements go, which may be a guarded part of `statements`."""

    statements: list[Any] = field(default_factory=list)
    tail: list[Any] = field(default_factory=list)
    stopped: bool = False
    result: Value = None
    variables: dict[str, Value] = field(default_factory=dict)
    cells: dict[Cell, ScalarLike] = field(default_factory=dict)


@dataclass
class _Carried:
    """Something that a loop carries from one iteration to the next, as `names` of variables."""

    names: list[str]
    initial: list[ScalarLike]
    current: Callable[[], list[ScalarLike] | None]
    restore: Callable[[bool], None]


@dataclass
class _Exit:
    """A place where an iteration ends: the values there, and the jump taken."""

    values: list[list[ScalarLike] | None]
    fresh: dict[str, list[Leaf]]
    registers: list[tuple[Held, Held]]
    jump: Deferred | None
    statement: Statement | None


@dataclass
class _Loop:
    owner: Variables
    frame: Frame
    carried: list[_Carried]
    unbound: list[str]
    registers: dict[str, Held]
    exits: list[_Exit] = field(default_factory=list)


class Control:
    """Branches and loops of one trace."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._arms: list[_Arm] = [_Arm()]
        self._loops: list[_Loop] = []
        self.returns = HelperReturns(tracer)

    # --- branches ---

    def branch(self, condition: ScalarLike, branch: Branch, site: Site) -> bool:
        """Trace both arms of an `if` on `condition`."""
        tracer, origin = self._tracer, site.origin
        frame = frame_of(site)
        returns = self.returns.count(frame)
        before = {name: branch.get(name) for name in branch.stored_names}
        cells = {cell: cell.value for cell in tracer.cells}
        then = self._arm(branch.run_then, branch, before, cells)
        otherwise = self._arm(branch.run_otherwise, branch, before, cells)
        self._join(then, otherwise, branch, origin)
        if then.statements or otherwise.statements:
            tracer.emit(If(condition, tuple(then.statements), tuple(otherwise.statements), origin))
        in_loop = bool(self._loops) and self._loops[-1].frame is frame
        if self.returns.count(frame) > returns and not in_loop:
            self.returns.guard(frame)
        return True

    def _arm(
        self, run: Callable[[], Value], branch: Branch, before: Mapping[str, Value], cells: Mapping[Cell, ScalarLike]
    ) -> _Arm:
        arm = _Arm()
        self._arms.append(arm)
        try:
            with self._tracer.capture() as arm.statements:
                arm.result = run()
                arm.tail = self._tracer.body
        finally:
            self._arms.pop()
        arm.variables = {name: branch.get(name) for name in before}
        arm.cells = {cell: cell.value for cell in cells}
        for name, value in before.items():
            if value is not UNBOUND:
                branch.set(name, value)
        for cell, value in cells.items():
            cell.value = value
        return arm

    def _join(self, then: _Arm, otherwise: _Arm, branch: Branch, origin: Origin) -> None:
        if then.stopped and otherwise.stopped:
            self._arms[-1].stopped = True
        survivors = [arm for arm in (then, otherwise) if not arm.stopped]
        if len(survivors) == 1:
            self._adopt(survivors[0], branch)
            return

        def join(left: Leaf, right: Leaf, hint: str) -> ScalarLike:
            name = self._tracer.fresh(hint)
            then.tail.append(Assign(name, left[0], origin))
            otherwise.tail.append(Assign(name, right[0], origin))
            return Symbol(name)

        for name, value in then.variables.items():
            other = otherwise.variables[name]
            if isinstance(value, _HELD) and isinstance(other, _HELD) and kind_of(value) == kind_of(other):
                branch.set(name, self._join_registers(then, otherwise, value, other, origin))
            elif value is not UNBOUND or other is not UNBOUND:
                branch.set(name, _merged(value, other, lambda a, b, hint=name: join(a, b, hint)))  # type: ignore[misc]
        for cell, left in then.cells.items():
            right = otherwise.cells[cell]
            cell.value = left if left == right else join((left, cell.dtype), (right, cell.dtype), cell.name)
        if then.result is not None or otherwise.result is not None:
            branch.set_result(_merged(then.result, otherwise.result, lambda a, b: join(a, b, "choice")))

    def _join_registers(self, then: _Arm, otherwise: _Arm, left: Held, right: Held, origin: Origin) -> Held:
        if left.register == right.register:
            return left
        joined = self._tracer.registers.make("either", kind_of(left))
        then.tail.append(copy(joined, left, origin))
        otherwise.tail.append(copy(joined, right, origin))
        return joined

    def _adopt(self, arm: _Arm, branch: Branch) -> None:
        for name, value in arm.variables.items():
            if value is not UNBOUND:
                branch.set(name, value)
        for cell, value in arm.cells.items():
            cell.value = value
        if arm.result is not None:
            branch.set_result(arm.result)

    # --- loops ---

    def for_loop(self, loop: ForLoop, bounds: tuple[ScalarLike, ScalarLike, ScalarLike], hint: str, site: Site) -> bool:
        """Trace a counted loop."""
        name, origin = self._tracer.fresh(hint), site.origin

        def body() -> None:
            loop.run_body(RuntimeScalar(Symbol(name), INT64))

        returns = self.returns.count(frame_of(site))
        statements = self._trace_body(loop, body, {name}, site)
        self._tracer.emit(For(name, *bounds, statements, origin))
        self._after_loop(returns, site)
        return True

    def while_loop(self, loop: WhileLoop, site: Site) -> bool:
        """Trace a loop that tests its condition before each iteration."""
        origin = site.origin

        def body() -> None:
            self._tracer.origin = origin
            condition = loop.condition()
            if not is_scalar(condition):
                self._tracer.give_up("the condition of a loop is not known")
                condition = False
            stop = scalar.apply("not", lower(condition))
            if stop != 0:
                self._tracer.emit(If(stop, (Break(origin),), (), origin))
            if isinstance(stop, Scalar) or stop == 0:
                loop.run_body()

        returns = self.returns.count(frame_of(site))
        self._tracer.emit(While(self._trace_body(loop, body, set(), site), origin))
        self._after_loop(returns, site)
        return True

    def _after_loop(self, returns: int, site: Site) -> None:
        """Where the loop's helper returned from within it, leave the loops around it too, and skip what follows."""
        frame = frame_of(site)
        if self.returns.count(frame) == returns:
            return
        if self._loops and self._loops[-1].frame is frame:
            with self._tracer.capture() as leave:
                self._leave_loop(Break(site.origin))
            self._tracer.emit(If(self.returns.flag(frame), tuple(leave), (), site.origin))  # type: ignore[arg-type]
        else:
            self.returns.guard(frame)

    def _leave_loop(self, statement: Statement) -> None:
        loop, deferred = self._loops[-1], Deferred()
        loop.exits.append(self._exit(loop, deferred, statement))
        self._tracer.emit(deferred)

    def _trace_body(
        self, loop: ForLoop | WhileLoop, body: Callable[[], None], inner: set[str], site: Site
    ) -> tuple[Any, ...]:
        unbound = [name for name in loop.stored_names if loop.get(name) is UNBOUND]
        registers = {name: value for name in loop.stored_names if isinstance(value := loop.get(name), _HELD)}
        record = _Loop(loop, frame_of(site), list(self._carry(loop)), unbound, registers)
        self._loops.append(record)
        self._arms.append(_Arm())
        try:
            with self._tracer.capture() as statements:
                body()
                if not self._arms[-1].stopped:
                    record.exits.append(self._exit(record, None, None))
        finally:
            self._arms.pop()
            self._loops.pop()
        self._complete(record, statements, inner, site.origin)
        return tuple(statements)

    def _carry(self, loop: ForLoop | WhileLoop) -> Iterator[_Carried]:
        """Give every variable and cell that the body may change a variable of the program."""
        cells = tuple(self._tracer.cells)
        for name in _rebound(loop):
            value = loop.get(name)
            parts = [] if value is UNBOUND else list(leaves(value))
            if parts:
                names = [self._tracer.fresh(name) for _ in parts]
                loop.set(name, rebuild(value, iter(map(Symbol, names))))
                yield _carried_variable(loop, name, value, loop.get(name), names, [part for part, _ in parts])
        for cell in cells:
            yield _carried_cell(cell, self._tracer.fresh(cell.name))

    def _exit(self, loop: _Loop, jump: Deferred | None, statement: Statement | None) -> _Exit:
        fresh = {
            name: list(leaves(loop.owner.get(name))) for name in loop.unbound if loop.owner.get(name) is not UNBOUND
        }
        registers = [
            (held, value)
            for name, held in loop.registers.items()
            if isinstance(value := loop.owner.get(name), _HELD) and kind_of(value) == kind_of(held)
        ]
        return _Exit([carried.current() for carried in loop.carried], fresh, registers, jump, statement)

    def _complete(self, loop: _Loop, body: list[Statement | Deferred], inner: set[str], origin: Origin) -> None:
        """Assign what the loop carries: first values before it, new values wherever an iteration ends."""
        assignments: list[list[tuple[str, ScalarLike]]] = [[] for _ in loop.exits]
        for position, carried in enumerate(loop.carried):
            ends = [end.values[position] for end in loop.exits]
            changed = False
            for part, name in enumerate(carried.names):
                values = [Symbol(name) if end is None else end[part] for end in ends]
                if all(value in (Symbol(name), carried.initial[part]) for value in values):
                    self._tracer.settled[name] = carried.initial[part]
                    continue
                changed = True
                self._tracer.emit(Assign(name, carried.initial[part], origin))
                for target, value in zip(assignments, values, strict=True):
                    if value != Symbol(name):
                        target.append((name, value))
            carried.restore(changed)
        self._keep_new_variables(loop, inner.union(*(carried.names for carried in loop.carried)), assignments)
        for name, held in loop.registers.items():
            loop.owner.set(name, held)
        for end, pairs in zip(loop.exits, assignments, strict=True):
            saved = [*self._together(pairs, origin), *copies(end.registers, self._tracer, origin)]
            if end.jump is None:
                body.extend(saved)
            else:
                assert end.statement is not None
                end.jump.statements = (*saved, end.statement)

    def _keep_new_variables(
        self, loop: _Loop, inner: set[str], assignments: list[list[tuple[str, ScalarLike]]]
    ) -> None:
        """Variables first bound in the body keep the value of the last iteration after the loop."""
        for name in loop.unbound:
            value = loop.owner.get(name)
            if not isinstance(value, RuntimeScalar):
                continue
            found = [end.fresh.get(name, []) for end in loop.exits]
            used = {symbol.name for parts in found for part, _ in parts for symbol in scalar.symbols(part)}
            if not used & inner:
                continue
            variable = self._tracer.fresh(name)
            for target, parts in zip(assignments, found, strict=True):
                if len(parts) == 1:
                    target.append((variable, parts[0][0]))
            loop.owner.set(name, RuntimeScalar(Symbol(variable), value.dtype))

    def _together(self, pairs: Sequence[tuple[str, ScalarLike]], origin: Origin) -> list[Statement]:
        """Assignments as if all at once: a value that reads another target is computed first."""
        targets = {name for name, _ in pairs}
        first: list[Statement] = []
        then: list[Statement] = []
        for name, value in pairs:
            if any(symbol.name in targets and symbol.name != name for symbol in scalar.symbols(value)):
                temporary = self._tracer.fresh("next")
                first.append(Assign(temporary, value, origin))
                value = Symbol(temporary)
            then.append(Assign(name, value, origin))
        return [*first, *then]

    # --- jumps ---

    def jump(self, kind: str, value: Value, site: Site) -> bool:
        """Record a jump out of a region of run time; the rest of the arm is not reached."""
        frame, origin = frame_of(site), site.origin
        if kind == "return" and frame.is_entry:
            self._tracer.emit(Return(origin))
        elif kind == "return":
            self.returns.add(frame, value)
            if self._loops and self._loops[-1].frame is frame:
                self._leave_loop(Break(origin))
        elif not self._loops:
            return False
        else:
            self._leave_loop(Break(origin) if kind == "break" else Continue(origin))
        self._arms[-1].stopped = True
        return True

    def result_of_call(self, frame: Frame, value: Value) -> Value:
        """The value of a helper's call, whose end has been reached with `value`."""
        if not self.returns.count(frame):
            return value
        arm = self._arms[-1]
        reached, arm.stopped = not arm.stopped, False
        return self.returns.finish(frame, value, reached, self._tracer.origin)


def frame_of(site: Site) -> Frame:
    """The call in which an operation takes place."""
    assert isinstance(site, Operation)
    return site.frame


def _rebound(loop: ForLoop | WhileLoop) -> list[str]:
    """Names that the body binds anew, not those of which it only changes a part."""
    stored = {
        node.id
        for statement in loop.node.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return [name for name in loop.stored_names if name in stored]


def _merged(left: Value, right: Value, join: Callable[[Leaf, Leaf], ScalarLike]) -> Value:
    """The value after a branch; what only one arm binds keeps its value."""
    if left is UNBOUND or left is None:
        return right
    if right is UNBOUND or right is None:
        return left
    return merge(left, right, join)


def _carried_variable(
    loop: ForLoop | WhileLoop,
    name: str,
    initial: Value,
    varying: Value,
    names: list[str],
    parts: list[ScalarLike],
) -> _Carried:
    def current() -> list[ScalarLike] | None:
        value = loop.get(name)
        return [part for part, _ in leaves(value)] if alike(value, varying) else None

    def restore(changed: bool) -> None:
        loop.set(name, varying if changed else initial)

    return _Carried(names, parts, current, restore)


def _carried_cell(cell: Cell, name: str) -> _Carried:
    initial, varying = cell.value, Symbol(name)
    cell.value = varying

    def restore(changed: bool) -> None:
        cell.value = varying if changed else initial

    return _Carried([name], [initial], lambda: [cell.value], restore)
