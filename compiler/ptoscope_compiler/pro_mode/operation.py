"""Operations of `pl` as callable values."""

from __future__ import annotations

from typing import Any, NoReturn

from ..diagnostics.rules import pt903_not_modelled
from ..evaluate.site import Site
from ..evaluate.values import Arguments, Builtin, Value
from .api import Entry
from .binding import bind, contains_unknown
from .call import Call, emit_steps, family_of
from .current import tracer


class Operation(Builtin):
    """An entry of an operation table; `prefix` is what its name follows in messages, such as "pl."."""

    def __init__(self, entry: Entry, prefix: str) -> None:
        super().__init__(prefix + entry.name)
        self.entry = entry
        self.prefix = prefix

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(f"{self.name} can only be called in a kernel")

    def call(self, arguments: Arguments, site: Site) -> Value:
        trace = tracer()
        trace.origin = site.origin
        values = bind(self.entry, self.prefix, arguments, site)
        if values is None:
            return trace.give_up("wrong arguments")
        if not self.entry.steps and not self.entry.family:
            site.report(pt903_not_modelled.RULE.at(site.origin, name=self.name))
            return trace.give_up(self.name)
        unknown = next((value for value in values.values() if contains_unknown(value)), None)
        if unknown is not None:
            return trace.give_up(f"an argument of {self.name} is not known")
        call = Call(self.entry, values, arguments.positional, site, trace)
        if self.entry.family:
            return family_of(self.entry.family)(call)
        emit_steps(call)
        return None

    def describe(self) -> str:
        return f"{self.name}{self.entry.signature}"
