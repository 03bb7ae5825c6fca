"""Functions of `pypto` other than operations: loops, conditions, scalars, and those without an effect on a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..dtype import FP32
from ..evaluate.values import Arguments, Builtin, Unknown, Unsupported, Value, is_unknown
from ..scalar import ScalarLike, Symbol, add, apply, floordiv, sub
from . import api, config_functions
from .call import bind
from .element import Element
from .enums import EnumMember
from .errors import Rejected
from .loops import make_loop
from .ops.registry import call_operation, not_modelled, operations
from .symbolic import SymbolicScalar, unwrap, wrap

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .session import Session

Function = Callable[["Session", Mapping[str, Value], "Site"], Value]


class ApiFunction(Builtin):
    """A public function, by its qualified name."""

    def __init__(self, name: str, session: Session) -> None:
        super().__init__(name)
        self.session = session

    def describe(self) -> str:
        return str(api.signature(self.name) or self.name)

    def call(self, arguments: Arguments, site: Site) -> Value:
        if self.name in operations():
            return call_operation(self.session, self.name, arguments, site)
        signature = api.signature(self.name)
        function = FUNCTIONS.get(self.name) or config_functions.FUNCTIONS.get(self.name)
        if signature is None:
            return not_modelled(self.name, self.session, site)
        try:
            if self.name in ("pypto.loop", "pypto.loop_unroll"):
                return make_loop(self.session, self.name, arguments, site)
            bound = bind(signature, arguments, site)
            if function is None:
                return not_modelled(self.name, self.session, site)
            return function(self.session, bound, site)
        except Rejected as rejected:
            site.report(rejected.diagnostic)
            if self.session.tracer is not None:
                self.session.tracer.give_up(site.origin)
            return Unknown("error")


class ElementClass(Builtin):
    """`pypto.Element`."""

    def __init__(self, session: Session) -> None:
        super().__init__("pypto.Element")

    def call(self, arguments: Arguments, site: Site) -> Value:
        signature = api.signature("pypto.Element")
        assert signature is not None
        try:
            bound = bind(signature, arguments, site)
        except Rejected as rejected:
            site.report(rejected.diagnostic)
            return Unknown("error")
        dtype, value = bound["dtype"], bound["data"]
        if not isinstance(dtype, EnumMember) or not isinstance(value, (int, float)):
            return Unknown("element")
        return Element(dtype.dtype or FP32, value)


class SymbolicScalarClass(Builtin):
    """`pypto.SymbolicScalar`."""

    def __init__(self, session: Session) -> None:
        super().__init__("pypto.SymbolicScalar")

    def call(self, arguments: Arguments, site: Site) -> Value:
        values = arguments.positional
        if len(values) == 1 and isinstance(values[0], str):
            return SymbolicScalar(Symbol(values[0]))
        if values and isinstance(values[-1], int):
            return values[-1]
        return values[0] if len(values) == 1 else Unknown("SymbolicScalar")

    def has_instance(self, value: Value, site: Site) -> bool | None:
        return isinstance(value, SymbolicScalar)


def _scalar(value: Value) -> ScalarLike | None:
    return None if is_unknown(value) else unwrap(value)


def _extreme(operator: str) -> Function:
    def run(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
        left, right = _scalar(bound["a"]), _scalar(bound["b"])
        if left is None or right is None:
            if is_unknown(bound["a"]) or is_unknown(bound["b"]):
                return Unknown("operand")
            raise Unsupported(f"pypto.{operator}() takes whole numbers and SymbolicScalars")
        return wrap(apply(operator, left, right))

    return run


def _is_loop_begin(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    loop = session.tracer.loops[-1] if session.tracer is not None and session.tracer.loops else None
    index = _scalar(bound["scalar"])
    return Unknown("loop") if loop is None or index is None else wrap(apply("eq", index, loop.start))


def _is_loop_end(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    loop = session.tracer.loops[-1] if session.tracer is not None and session.tracer.loops else None
    index = _scalar(bound["scalar"])
    return Unknown("loop") if loop is None or index is None else wrap(apply("ge", add(index, loop.step), loop.stop))


def _cond(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    return bound["scalar"]


def _ceildiv(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    numerator, divisor = _scalar(bound["a"]), _scalar(bound["b"])
    if numerator is None or divisor is None:
        return Unknown("operand")
    return wrap(floordiv(sub(add(numerator, divisor), 1), divisor))


def _bytes_of(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    dtype = bound["dtype"]
    return dtype.dtype.bytes if isinstance(dtype, EnumMember) and dtype.dtype is not None else Unknown("dtype")


def _dynamic(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    name = bound["name"]
    return SymbolicScalar(Symbol(name)) if isinstance(name, str) else Unknown("dimension")


def _nothing(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    return None


FUNCTIONS: Mapping[str, Function] = {
    "pypto.min": _extreme("min"),
    "pypto.max": _extreme("max"),
    "pypto.is_loop_begin": _is_loop_begin,
    "pypto.is_loop_end": _is_loop_end,
    "pypto.cond": _cond,
    "pypto.ceildiv": _ceildiv,
    "pypto.bytes_of": _bytes_of,
    "pypto.frontend.dynamic": _dynamic,
    "pypto.loop": _nothing,
    "pypto.loop_unroll": _nothing,
    "pypto.pass_verify_print": _nothing,
    "pypto.pass_verify_save": _nothing,
    "pypto.set_verify_golden_data": _nothing,
    **{f"pypto.log_{level}": _nothing for level in ("debug", "info", "warn", "error", "fatal", "event")},
    "pypto.set_log_level": _nothing,
}
