"""`@pypto.frontend.jit`: a kernel as a value of host code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..evaluate.dialect import Construct, Dialect
from ..evaluate.functions import UserFunction
from ..evaluate.kernels import Kernel, define
from ..evaluate.values import Abstract, Arguments, Unknown, Value, is_unknown
from . import api
from .call import bind
from .errors import Rejected

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .session import Session

MODE = "tensor"

DIALECT = Dialect(
    name="Tensor mode",
    unsupported=frozenset(
        {
            Construct.WITH,
            Construct.TRY,
            Construct.IMPORT,
            Construct.GLOBAL,
            Construct.NONLOCAL,
            Construct.CLASS,
            Construct.MATCH,
            Construct.GENERATOR_EXPRESSION,
            Construct.YIELD,
            Construct.AWAIT,
            Construct.WALRUS,
            Construct.STARRED_TARGET,
            Construct.WHILE_ELSE,
            Construct.FOR_ELSE,
            Construct.BARE_RAISE,
            Construct.VARIADIC_PARAMETERS,
            Construct.BREAK_AT_RUN_TIME,
            Construct.CONTINUE_AT_RUN_TIME,
            Construct.RETURN_AT_RUN_TIME,
            Construct.RETURN_FROM_ENTRY,
            Construct.RETURN_VALUE_FROM_ENTRY,
        }
    ),
    parameters_by_reference=True,
    unpacks_by_index=True,
    helpers_are_python=True,
)
"""What `python/pypto/pil/parser.py` of hicann/pypto takes."""


class TensorModeKernel(Kernel):
    """A kernel of Tensor mode. Its calls are recorded with the settings in force where they stand."""

    def __init__(self, session: Session, function: UserFunction, options: Mapping[str, Value]) -> None:
        super().__init__(function, MODE, options)
        self.session = session

    def call(self, arguments: Arguments, site: Site) -> Value:
        self.record(arguments, site, self.session.configuration.current)
        return None


class Jit(Abstract):
    """`pypto.frontend.jit`, bare or with options."""

    type_name = "pypto.frontend.jit"

    def __init__(self, session: Session, options: Mapping[str, Value] | None = None) -> None:
        self.session = session
        self.options = options

    def call(self, arguments: Arguments, site: Site) -> Value:
        if self.options is not None:
            return _decorate(self.session, arguments, self.options, site)
        signature = api.signature("pypto.frontend.jit")
        assert signature is not None
        try:
            bound = bind(signature, arguments, site)
        except Rejected as rejected:
            site.report(rejected.diagnostic)
            return Jit(self.session, {})
        if bound.get("func") is not None:
            return _decorate(self.session, arguments, {}, site)
        return Jit(self.session, bound)

    def describe(self) -> str:
        return "decorator pypto.frontend.jit"


def _decorate(session: Session, arguments: Arguments, options: Mapping[str, Value], site: Site) -> Value:
    function = arguments.positional[0] if arguments.positional else None
    if function is None or is_unknown(function) or not isinstance(function, UserFunction):
        return Unknown("kernel")
    return define(TensorModeKernel(session, function, options), site)
