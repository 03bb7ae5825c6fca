"""Places in a program that are filled later."""

from __future__ import annotations

from dataclasses import dataclass

from ..pto.program import Statement


@dataclass(eq=False)
class Deferred:
    """Stands in a statement list for `statements`, which are known only when a loop or a call is complete."""

    statements: tuple[Statement, ...] = ()
