"""The table of operations: what each is called, takes and makes. Modules of this package declare each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ...diagnostics.rules import pt903_not_modelled
from ...dtype import DType
from ...evaluate.values import Arguments, Unknown, Value, is_unknown
from .. import api
from ..call import Call, bind, default_value
from ..errors import Rejected, Undecided

if TYPE_CHECKING:
    from ...evaluate.site import Site
    from ..session import Session

FAMILIES = (
    "binary", "cast", "comparison", "composite", "creation", "cube", "cumulative", "indexing", "joining", "mathematics",
    "padding", "permutation", "reduction", "selection", "sorting", "structure", "transposition", "unary",
)  # fmt: skip

Build = Callable[[Call], Value]


@dataclass(frozen=True, slots=True)
class DTypes:
    """Element types that an operation takes, by architecture; `default` is that of the others."""

    default: frozenset[DType]
    by_architecture: Mapping[str, frozenset[DType]] = field(default_factory=dict)

    def on(self, architecture: str) -> frozenset[DType]:
        return self.by_architecture.get(architecture, self.default)


def dtypes(default: Iterable[DType], on_950: Iterable[DType] | None = None) -> DTypes:
    """Types of A2/A3, and those of 950 where they differ."""
    own = {} if on_950 is None else {"3510": frozenset(on_950)}
    return DTypes(frozenset(default), own)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: `shape` and `valid_shape` name its rules in words, `opcodes` those it makes on the Tensor Graph.

    The parameters come from the public signature (`api.signature(name)`).
    """

    name: str
    family: str
    build: Build
    doc: str
    doc_zh: str
    shape: str = "that of the operand"
    valid_shape: str = "that of the operand"
    dtypes: DTypes | None = None
    ranks: tuple[int, int] = (1, 4)
    opcodes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    architectures: frozenset[str] | None = None

    @property
    def signature(self) -> api.Signature:
        found = api.signature(self.name)
        assert found is not None, self.name
        return found


_operations: dict[str, Operation] = {}


def declare(operation: Operation) -> None:
    """Add an operation; ValueError for one that is declared already or is not public."""
    if operation.name in _operations or api.signature(operation.name) is None:
        raise ValueError(f"{operation.name} is declared twice, or pypto has no such function")
    _operations[operation.name] = operation


@cache
def operations() -> Mapping[str, Operation]:
    """Every operation that is modelled, by its qualified name."""
    for family in FAMILIES:
        import_module(f"{__package__}.{family}")
    return _operations


def call_operation(session: Session, name: str, arguments: Arguments, site: Site) -> Value:
    """Call an operation by its qualified name from evaluated code; Unknown where it fails or is not known enough."""
    signature = api.signature(name)
    assert signature is not None, name
    try:
        bound = bind(signature, arguments, site)
    except Rejected as rejected:
        return _rejected(rejected, session, site)
    operation = operations().get(name)
    tracer = session.tracer
    if operation is None or tracer is None:
        return not_modelled(name, session, site) if operation is None else Unknown("no kernel is traced")
    given = frozenset(bound)
    for parameter in signature.parameters:
        if parameter.default is not None and parameter.name not in bound:
            bound[parameter.name] = default_value(parameter.default)
    ordered = {parameter.name: bound[parameter.name] for parameter in signature.parameters if parameter.name in bound}
    call = Call(name, session, tracer, site, ordered, given)
    try:
        value = operation.build(call)
    except Rejected as rejected:
        return _rejected(rejected, session, site)
    except Undecided:
        tracer.give_up(site.origin)
        return Unknown(f"{name} of something unknown")
    if is_unknown(value):
        tracer.give_up(site.origin)
    return value


def _rejected(rejected: Rejected, session: Session, site: Site) -> Value:
    site.report(rejected.diagnostic)
    if session.tracer is not None:
        session.tracer.give_up(site.origin)
    return Unknown("error")


def not_modelled(name: str, session: Session, site: Site) -> Value:
    """The value of a public operation that is not in the table: Unknown, with a hint and never an error."""
    if session.tracer is not None:
        site.report(pt903_not_modelled.RULE.at(site.origin, name=name))
        session.tracer.give_up(site.origin)
    return Unknown(name)
