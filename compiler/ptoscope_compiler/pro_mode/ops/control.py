"""`pl.range` and the sections of the two kinds of core."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ... import scalar
from ...dtype import BOOL
from ...evaluate.site import ForLoop, Site, WithBlock
from ...evaluate.values import Abstract, Unsupported, Value
from ...hardware import CoreKind
from ...scalar import Scalar, ScalarLike
from ..call import Call, family
from ..current import tracer
from ..scalars import as_value, is_scalar, lower


class Range(Abstract):
    """`pl.range(start, stop, step)`: a loop of the program."""

    type_name = "pl.range"

    def __init__(self, start: ScalarLike, stop: ScalarLike, step: ScalarLike) -> None:
        self.bounds = (start, stop, step)

    def trace_loop(self, loop: ForLoop, site: Site) -> bool:
        target = loop.node.target
        hint = target.id if isinstance(target, ast.Name) else "index"
        return tracer().control.for_loop(loop, self.bounds, hint, site)

    def iterate(self, site: Site) -> Iterable[Value]:
        if any(isinstance(bound, Scalar) for bound in self.bounds):
            raise Unsupported("the bounds of this range are known at run time only")
        return range(*(int(bound) for bound in self.bounds if not isinstance(bound, Scalar)))

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator == "in" and is_scalar(other):
            return self._contains(lower(other))
        return super().binary(operator, other, reflected, site)

    def _contains(self, value: ScalarLike) -> Value:
        start, stop, step = self.bounds
        first, last = (start, value), (value, stop)
        if not isinstance(step, Scalar) and step < 0:
            first, last = (value, start), (stop, value)
        inside = scalar.apply("and", scalar.apply("le", *first), scalar.apply("lt", *last))
        remainder = scalar.apply("rem", scalar.sub(value, start), step)
        return as_value(scalar.apply("and", inside, scalar.apply("eq", remainder, 0)), BOOL)


@family("range")
def make_range(call: Call) -> Value:
    bounds = [lower(value) for value in call.values["args"]]
    if len(bounds) == 1:
        return Range(0, bounds[0], 1)
    if len(bounds) == 2:
        return Range(bounds[0], bounds[1], 1)
    if len(bounds) == 3:
        return Range(bounds[0], bounds[1], bounds[2])
    raise Unsupported("pl.range() takes one to three bounds")


class Section(Abstract):
    """`with pl.section_cube():` and its sibling: the body belongs to one kind of core only."""

    type_name = "section"

    def __init__(self, core: CoreKind) -> None:
        self.core = core

    def trace_with(self, block: WithBlock, site: Site) -> bool:
        trace = tracer()
        trace.sections.add(self.core)
        if trace.core is self.core:
            block.run_body()
        return True


@family("section_cube", "section_vector")
def section(call: Call) -> Value:
    return Section(CoreKind.AIC if call.entry.name == "section_cube" else CoreKind.AIV)
