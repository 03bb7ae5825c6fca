"""What kernels of Pro mode leave out of Python, and how their jumps and loops are traced.

`python/pypto_pro/language/parser/_ast_parser.py` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..evaluate.dialect import Construct, Dialect, Jump
from ..evaluate.scope import Frame
from ..evaluate.site import Site, WhileLoop
from ..evaluate.values import Value
from .current import tracer

_UNSUPPORTED = frozenset(
    {
        Construct.TRY,
        Construct.IMPORT,
        Construct.GLOBAL,
        Construct.NONLOCAL,
        Construct.CLASS,
        Construct.MATCH,
        Construct.NESTED_FUNCTION,
        Construct.YIELD,
        Construct.AWAIT,
        Construct.CHAINED_ASSIGNMENT,
        Construct.ASSERT,
        Construct.RAISE,
        Construct.DELETE,
        Construct.RETURN_VALUE_FROM_ENTRY,
    }
)


@dataclass(frozen=True)
class ProDialect(Dialect):
    """The rules of a kernel and of the helpers that it inlines."""

    name: str = "Pro mode"
    unsupported: frozenset[Construct] = _UNSUPPORTED

    def trace_jump(self, jump: Jump, value: Value, site: Site) -> bool:
        return tracer().control.jump(jump, value, site)

    def trace_while(self, loop: WhileLoop, site: Site) -> bool:
        return tracer().control.while_loop(loop, site)

    def result_of_call(self, frame: Frame, value: Value) -> Value:
        return tracer().control.result_of_call(frame, value)
