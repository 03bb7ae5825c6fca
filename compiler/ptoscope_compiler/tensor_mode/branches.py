"""`if` on a condition that only run time knows: both arms are traced, and what they leave behind is merged."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..diagnostics.rules import pt314_shapes_conflict, pt605_boolean_operator
from ..evaluate.site import UNBOUND
from ..evaluate.values import Unknown, Value
from ..ir.graph import LogicalTensor
from ..scalar import Scalar, Symbol
from .carrying import is_number, result_like
from .region import BranchNode, Node, Phi
from .symbolic import unwrap, wrap
from .tensor import Tensor
from .text import shape_text
from .tracer import ArmFrame

if TYPE_CHECKING:
    from ..evaluate.site import Branch, Site
    from .session import Session
    from .tracer import Tracer

Names = dict[str, Value]
Writes = dict[int, tuple[Tensor, LogicalTensor, LogicalTensor]]


def trace_branch(session: Session | None, branch: Branch, condition: Scalar, site: Site) -> bool:
    """Record both arms of `branch`; False where no kernel is being traced."""
    if isinstance(branch.node, ast.IfExp):
        site.report(pt605_boolean_operator.RULE.at(site.origin, operator="if ... else", instead="an 'if' statement"))
        branch.set_result(Unknown("run-time condition"))
        if session is not None and session.tracer is not None:
            session.tracer.give_up(site.origin)
        return True
    if session is None or session.tracer is None:
        return False
    tracer = session.tracer
    before = {name: branch.get(name) for name in branch.stored_names}
    then_nodes, then_names, then_writes = _arm(tracer, branch, before, branch.run_then)
    other_nodes, other_names, other_writes = _arm(tracer, branch, before, branch.run_otherwise)
    node = BranchNode(condition, then_nodes, other_nodes, site.origin)
    for name in branch.stored_names:
        _merge_name(tracer, branch, node, name, then_names[name], other_names[name], site)
    for key in dict.fromkeys((*then_writes, *other_writes)):
        _merge_write(tracer, node, then_writes.get(key), other_writes.get(key), site)
    tracer.nodes.append(node)
    return True


def _arm(tracer: Tracer, branch: Branch, before: Names, run: Callable[[], Value]) -> tuple[list[Node], Names, Writes]:
    frame = ArmFrame()
    with tracer.recording(frame) as nodes:
        run()
        names = {name: branch.get(name) for name in before}
    for name, value in before.items():
        branch.set(name, value)
    writes: Writes = {}
    for key, (tensor, old) in frame.before.items():
        writes[key] = (tensor, old, tensor.storage)
        tensor.restore(old)
    return nodes, names, writes


def _merge_name(
    tracer: Tracer, branch: Branch, node: BranchNode, name: str, then: Value, other: Value, site: Site
) -> None:
    if then is other:
        branch.set(name, then)
    elif isinstance(then, Tensor) or isinstance(other, Tensor):
        branch.set(name, _merged_tensor(tracer, node, name, then, other, site))
    elif is_number(then) and is_number(other):
        if unwrap(then) == unwrap(other):
            branch.set(name, then)
            return
        result = Symbol(tracer.fresh(f"if_{name}"))
        node.phis.append(Phi(name, result, unwrap(then), unwrap(other)))
        branch.set(name, wrap(result))
    elif then is UNBOUND or other is UNBOUND or then is None or other is None:
        branch.set(name, other if then is UNBOUND or then is None else then)
    else:
        branch.set(name, then if _equal(then, other) else Unknown(f"'{name}' differs between paths"))


def _equal(left: Value, right: Value) -> bool:
    try:
        return bool(left == right)
    except Exception:
        return False


def _merged_tensor(tracer: Tracer, node: BranchNode, name: str, then: Value, other: Value, site: Site) -> Value:
    """A tensor that is `then` or `other`; where one arm leaves it undefined, it is that of the other arm."""
    values = [value.storage if isinstance(value, Tensor) else None for value in (then, other)]
    some = then if isinstance(then, Tensor) else other
    assert isinstance(some, Tensor)
    present = [value for value in values if value is not None]
    if len(present) == 2 and not _alike(*present):
        _conflict(tracer, name, present, site)
        return Unknown(f"'{name}' differs between paths")
    result = result_like(tracer, present[0])
    node.phis.append(Phi(name, result, *values))
    merged = Tensor(some.session, tracer, result, created=some.created)
    merged.name = name
    return merged


def _alike(left: LogicalTensor, right: LogicalTensor) -> bool:
    return left.shape == right.shape and left.dtype == right.dtype


def _conflict(tracer: Tracer, name: str, values: list[LogicalTensor], site: Site) -> None:
    first, second = (f"{shape_text(value.shape)} {value.dtype}" for value in values)
    site.report(pt314_shapes_conflict.RULE.at(site.origin, name=name, first=first, second=second))
    tracer.give_up(site.origin)


def _merge_write(
    tracer: Tracer,
    node: BranchNode,
    then: tuple[Tensor, LogicalTensor, LogicalTensor] | None,
    other: tuple[Tensor, LogicalTensor, LogicalTensor] | None,
    site: Site,
) -> None:
    written = then or other
    assert written is not None
    tensor, old, _ = written
    values = [write[2] if write is not None else old for write in (then, other)]
    if not _alike(*values):
        _conflict(tracer, tensor.name, values, site)
        return
    result = result_like(tracer, values[0])
    node.phis.append(Phi(tensor.name, result, *values))
    tensor.write_from_loop(result)
