"""What a loop or a run-time branch does to the variables around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from ..evaluate.site import UNBOUND
from ..evaluate.values import Value
from ..ir.graph import LogicalTensor
from ..scalar import Symbol
from .region import Carried, Carry
from .symbolic import SymbolicScalar, unwrap, wrap
from .tensor import Tensor

if TYPE_CHECKING:
    from ..evaluate.site import ForLoop, Site
    from .tracer import LoopFrame, Tracer


class Variables(Protocol):
    """The enclosing frame of a loop or a branch."""

    @property
    def stored_names(self) -> tuple[str, ...]: ...

    def get(self, name: str) -> Value: ...

    def set(self, name: str, value: Value) -> None: ...


Entered = Mapping[str, tuple[Value, Value]]


def is_number(value: Value) -> bool:
    """Whether a variable holds what can change at run time besides tensors."""
    return isinstance(value, (SymbolicScalar, bool, int, float))


def result_like(tracer: Tracer, tensor: LogicalTensor) -> LogicalTensor:
    """A tensor that holds what `tensor` holds on one path."""
    return tracer.new(tensor.shape, tensor.dtype, tensor.valid_shape, tensor.raw.name, tensor.raw.format)


def enter_names(tracer: Tracer, loop: ForLoop, site: Site) -> Entered:
    """Give each name that the body stores a value of its own for the body: before, and at entry."""
    entered: dict[str, tuple[Value, Value]] = {}
    for name in loop.stored_names:
        before = loop.get(name)
        entry: Value = before
        if isinstance(before, Tensor):
            entry = Tensor(before.session, tracer, before.read(site), before.parameter, before.created)
            entry.name = before.name
        elif before is not UNBOUND and is_number(before):
            entry = wrap(Symbol(tracer.fresh(f"loop_{name}")))
        if entry is not before:
            loop.set(name, entry)
        entered[name] = (before, entry)
    return entered


def leave_names(tracer: Tracer, loop: ForLoop, site: Site, entered: Entered, frame: LoopFrame) -> list[Carry]:
    """Bind the stored names to what they hold after the loop, and say what each iteration hands to the next."""
    carries: list[Carry] = []
    for name, (before, entry) in entered.items():
        after = loop.get(name)
        if isinstance(entry, Tensor) and after is entry:
            _hand_back(tracer, loop, site, name, before, entry, frame, carries)
        elif isinstance(after, Tensor):
            carries.append(_tensor_carry(tracer, loop, site, name, (before, entry), after, frame))
        elif isinstance(entry, SymbolicScalar) and is_number(after):
            carries.append(_scalar_carry(tracer, loop, name, before, entry, after))
        elif after is not UNBOUND and is_number(after):
            result = Symbol(tracer.fresh(f"loop_{name}"))
            value = unwrap(after)
            assert value is not None
            carries.append(Carry(name, result, None, value, result))
            loop.set(name, wrap(result))
    return carries


def _hand_back(
    tracer: Tracer,
    loop: ForLoop,
    site: Site,
    name: str,
    before: Tensor,
    entry: Tensor,
    frame: LoopFrame,
    carries: list[Carry],
) -> None:
    """The name still means the same tensor, which the body may have written."""
    loop.set(name, before)
    touched = frame.touched.pop(id(entry), None)
    if touched is None:
        return
    carry = touched[1]
    if entry.storage is not carry.entry:
        carry.following = entry.storage
        carry.result = result_like(tracer, entry.storage)
        carries.append(carry)
        before.write(carry.result, site)
    else:
        carries.append(carry)


def _tensor_carry(
    tracer: Tracer, loop: ForLoop, site: Site, name: str, entered: tuple[Value, Value], after: Tensor, frame: LoopFrame
) -> Carry:
    before, entry = entered
    following = after.read(site) if after.depth <= tracer.depth else after.storage
    result = result_like(tracer, following)
    loop.set(name, Tensor(after.session, tracer, result, after.parameter, after.created))
    touched = frame.touched.pop(id(entry), None) if isinstance(entry, Tensor) else None
    if touched is not None:
        carry = touched[1]
        carry.following, carry.result = following, result
        return carry
    initial: Carried | None = before.read(site) if isinstance(before, Tensor) else None
    return Carry(name, result_like(tracer, following), initial, following, result)


def _scalar_carry(
    tracer: Tracer, loop: ForLoop, name: str, before: Value, entry: SymbolicScalar, after: Value
) -> Carry:
    following, initial = unwrap(after), unwrap(before)
    assert following is not None and isinstance(entry.scalar, Symbol)
    if isinstance(after, SymbolicScalar) and after.scalar == entry.scalar:
        loop.set(name, before)
        return Carry(name, entry.scalar, initial, entry.scalar, entry.scalar)
    result = Symbol(tracer.fresh(f"loop_{name}"))
    loop.set(name, wrap(result))
    return Carry(name, entry.scalar, initial, following, result)


def leave_tensors(tracer: Tracer, frame: LoopFrame) -> list[Carry]:
    """Tensors from outside that the body reached other than by a name of its frame: put back, or left as written."""
    carries: list[Carry] = []
    for tensor, carry in frame.touched.values():
        assert isinstance(carry.initial, LogicalTensor)
        written = tensor.storage
        tensor.restore(carry.initial)
        if written is not carry.entry:
            carry.following = written
            carry.result = result_like(tracer, written)
            tensor.write_from_loop(carry.result)
        carries.append(carry)
    return carries
