"""`pypto.loop` and `pypto.loop_unroll` (`python/pypto/pil/ops.py` of hicann/pypto)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..diagnostics.rules import pt611_wrong_arguments
from ..evaluate.values import Abstract, Arguments, Unknown, Unsupported, Value, is_unknown
from ..scalar import ScalarLike, Symbol, add, floordiv, mul, sub
from . import api
from .call import bind
from .carrying import enter_names, leave_names, leave_tensors
from .errors import Rejected
from .region import LoopNode
from .symbolic import unwrap, wrap
from .tracer import LoopFrame

if TYPE_CHECKING:
    from ..evaluate.site import ForLoop, Site
    from .session import Session
    from .tracer import Tracer


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """Keyword arguments of a loop."""

    name: str | None
    idx_name: str | None
    unroll: tuple[int, ...]
    submit_before_loop: bool
    parallel: bool


class LoopRange(Abstract):
    """What `pypto.loop(...)` evaluates to: iterated at run time, its body traced once for each unroll factor."""

    type_name = "pypto.loop"

    def __init__(
        self, session: Session, bounds: tuple[ScalarLike, ScalarLike, ScalarLike], options: LoopOptions, batch: bool
    ) -> None:
        self.session = session
        self.start, self.stop, self.step = bounds
        self.options = options
        self.batch = batch

    def describe(self) -> str:
        return f"pypto.loop({self.start}, {self.stop}, {self.step})"

    def trace_loop(self, loop: ForLoop, site: Site) -> bool:
        tracer = self.session.tracer
        if tracer is None:
            return False
        start = self.start
        for factor in self.options.unroll:
            step = mul(self.step, factor)
            stop = self.stop
            if factor != 1:
                stop = add(start, mul(floordiv(sub(self.stop, start), step), step))
            self._trace(tracer, loop, site, factor, (start, stop, step))
            start = stop
        return True

    def iterate(self, site: Site) -> Iterable[Value]:
        raise Unsupported("pypto.loop is for kernels")

    def _trace(
        self,
        tracer: Tracer,
        loop: ForLoop,
        site: Site,
        factor: int,
        bounds: tuple[ScalarLike, ScalarLike, ScalarLike],
    ) -> None:
        start, stop, step = bounds
        stem = self.options.idx_name or "idx"
        index = Symbol(tracer.fresh(f"loop_idx_{stem}"))
        frame = LoopFrame(self.start, self.stop, self.step)
        entered = enter_names(tracer, loop, site)
        tracer.bounds.push(index, start, stop, step)
        with tracer.recording(frame) as body:
            if self.batch:
                loop.run_body((wrap(index), wrap(step)))
            else:
                for iteration in range(factor):
                    loop.run_body(wrap(add(index, mul(iteration, self.step))))
        tracer.bounds.pop()
        attributes: dict[str, Any] = {
            "name": self.options.name,
            "idx_name": self.options.idx_name,
            "unroll": factor,
            "parallel": self.options.parallel,
            "submit_before_loop": self.options.submit_before_loop,
        }
        carries = [*leave_names(tracer, loop, site, entered, frame), *leave_tensors(tracer, frame)]
        tracer.nodes.append(LoopNode(index, start, stop, step, body, site.origin, carries, attributes))


def make_loop(session: Session, name: str, arguments: Arguments, site: Site) -> Value:
    """`pypto.loop(...)` or `pypto.loop_unroll(...)`."""
    signature = api.signature(name)
    assert signature is not None
    bound = bind(signature, arguments, site)
    positional = bound.get("args", ())
    if not 1 <= len(positional) <= 3:
        _reject(name, site, f"takes 1 to 3 positional arguments, {len(positional)} were given",
                f"接受 1 到 3 个位置参数，给了 {len(positional)} 个")  # fmt: skip
    if any(is_unknown(value) for value in (*positional, *bound.values())):
        return Unknown("loop bounds")
    limits = [unwrap(value) for value in positional]
    if any(limit is None or isinstance(limit, float) for limit in limits):
        _reject(name, site, "needs whole numbers", "需要整数")
    numbers: list[ScalarLike] = [limit for limit in limits if limit is not None]
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    unroll = bound.get("unroll_list") or []
    if not isinstance(unroll, (list, tuple)) or any(not isinstance(f, int) or f <= 0 for f in unroll):
        _reject(name, site, "needs positive whole numbers in 'unroll_list'", "unroll_list 需要正整数")
    options = LoopOptions(
        bound.get("name"),
        bound.get("idx_name"),
        tuple(sorted({*unroll, 1}, reverse=True)),
        bool(bound.get("submit_before_loop", False)),
        bool(bound.get("parallel", False)),
    )
    return LoopRange(session, (start, stop, step), options, name.endswith("unroll"))


def _reject(name: str, site: Site, problem: str, problem_zh: str) -> None:
    rule = pt611_wrong_arguments.RULE
    signature = str(api.signature(name))
    raise Rejected(rule.at(site.origin, call=name, problem=problem, problem_zh=problem_zh, signature=signature))
