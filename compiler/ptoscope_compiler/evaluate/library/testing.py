"""`pytest`: marks leave tests as they are, and their parameters can be asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..functions import UserFunction
from ..site import Site
from ..values import Abstract, Arguments, Builtin, Unknown, Value
from .module import LibraryModule
from .standard import PassThrough

MAXIMAL_SETS = 64
"""Parameter sets of one test that are looked at."""

_MARKS = "pytestmark"


@dataclass(frozen=True)
class Parametrised(Abstract):
    """`pytest.mark.parametrize(names, sets)`."""

    names: tuple[str, ...]
    sets: tuple[Value, ...]

    type_name = "mark"

    def call(self, arguments: Arguments, site: Site) -> Value:
        marked = arguments.positional[0] if arguments.positional else Unknown("test")
        attributes = getattr(marked, "attributes", None)
        if isinstance(attributes, dict):
            attributes[_MARKS] = [*attributes.get(_MARKS, ()), self]
        return marked


@dataclass(frozen=True)
class ParameterSet(Abstract):
    """`pytest.param(...)`."""

    values: tuple[Value, ...]

    type_name = "param"


class _Parametrise(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        given = (*arguments.positional, *dict(arguments.keywords).values())
        if len(given) < 2 or not isinstance(given[1], (list, tuple)):
            return PassThrough(self.name)
        names = given[0].split(",") if isinstance(given[0], str) else given[0]
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
            return PassThrough(self.name)
        return Parametrised(tuple(name.strip() for name in names), tuple(given[1]))


class _Parameter(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        return ParameterSet(arguments.positional)


class _Marks(Abstract):
    type_name = "mark"

    def get_attribute(self, name: str, site: Site) -> Value:
        return _Parametrise(name) if name == "parametrize" else PassThrough(name)


def parameter_sets(test: UserFunction) -> Iterator[dict[str, Value]]:
    """Each combination of the parameters that a test is marked with; one empty set where it has none."""
    marks = [mark for mark in test.attributes.get(_MARKS, ()) if isinstance(mark, Parametrised)]
    combinations: list[dict[str, Value]] = [{}]
    for mark in marks:
        combinations = [{**known, **new} for known in combinations for new in _bound(mark)][:MAXIMAL_SETS]
    yield from combinations


def _bound(mark: Parametrised) -> Iterator[dict[str, Value]]:
    for item in mark.sets:
        values = item.values if isinstance(item, ParameterSet) else (item,) if len(mark.names) == 1 else item
        if isinstance(values, (list, tuple)) and len(values) == len(mark.names):
            yield dict(zip(mark.names, values, strict=True))


MODULES: dict[str, LibraryModule] = {
    "pytest": LibraryModule(
        "pytest", {"mark": _Marks(), "param": _Parameter("param"), "fixture": PassThrough("fixture")}
    )
}
