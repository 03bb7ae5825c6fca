"""What the language of a kernel leaves out of Python, and how it takes jumps out of code that only run time reaches."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal

from .values import Value

if TYPE_CHECKING:
    from .scope import Frame
    from .site import Site, WhileLoop

Jump = Literal["break", "continue", "return"]


class Construct(Enum):
    """A construct of Python that a mode may refuse; the value is its name in messages."""

    WITH = "'with' statement"
    TRY = "'try' statement"
    IMPORT = "'import' statement"
    GLOBAL = "'global' statement"
    NONLOCAL = "'nonlocal' statement"
    CLASS = "'class' statement"
    MATCH = "'match' statement"
    NESTED_FUNCTION = "nested function"
    LAMBDA = "lambda"
    GENERATOR_EXPRESSION = "generator expression"
    COMPREHENSION = "comprehension"
    YIELD = "'yield'"
    AWAIT = "'await' or 'async'"
    WALRUS = "':=' expression"
    STARRED_TARGET = "starred assignment target"
    CHAINED_ASSIGNMENT = "chained assignment"
    WHILE = "'while' loop"
    WHILE_ELSE = "'else' of a 'while' loop"
    FOR_ELSE = "'else' of a 'for' loop"
    UNROLLED_FOR = "'for' over a Python iterable"
    ASSERT = "'assert' statement"
    RAISE = "'raise' statement"
    BARE_RAISE = "'raise' without an exception"
    DELETE = "'del' statement"
    VARIADIC_PARAMETERS = "'*args' or '**kwargs' parameter"
    BREAK_AT_RUN_TIME = "'break' in a run-time loop or branch"
    CONTINUE_AT_RUN_TIME = "'continue' in a run-time loop or branch"
    RETURN_AT_RUN_TIME = "'return' in a run-time loop or branch"
    RETURN_FROM_ENTRY = "'return' in the kernel itself"
    RETURN_VALUE_FROM_ENTRY = "'return' of a value from the kernel itself"


_AT_RUN_TIME: dict[Jump, Construct] = {
    "break": Construct.BREAK_AT_RUN_TIME,
    "continue": Construct.CONTINUE_AT_RUN_TIME,
    "return": Construct.RETURN_AT_RUN_TIME,
}


@dataclass(frozen=True)
class Dialect:
    """The rules of a frame. `Dialect()` is plain Python; a mode passes its own for its kernels.

    `parameters_by_reference`: a helper that rebinds a parameter rebinds the caller's variable which holds the same
    object (`call_function` in `python/pypto/pil/dispatcher.py` of hicann/pypto). `helpers_are_python`: a helper that
    holds an unsupported construct is called as plain Python instead of refused (`_get_or_compile` there).
    """

    name: str = "Python"
    unsupported: frozenset[Construct] = field(default_factory=frozenset)
    parameters_by_reference: bool = False
    unpacks_by_index: bool = False
    helpers_are_python: bool = False

    def trace_jump(self, jump: Jump, value: Value, site: Site) -> bool:
        """Record a jump that leaves a loop or branch which run time decides; False where that is not supported."""
        return False

    def trace_while(self, loop: WhileLoop, site: Site) -> bool:
        """Take over any `while`, before its condition is evaluated; False where only a run-time condition is traced."""
        return False

    def result_of_call(self, frame: Frame, value: Value) -> Value:
        """The result of a function that ran to its end or to a `return` outside of run-time regions with `value`."""
        return value

    def construct_of(self, jump: Jump) -> Construct:
        """How a refused jump is called."""
        return _AT_RUN_TIME[jump]


PYTHON = Dialect()
