"""Evaluating statements that do not parse: nothing is known of what they bind."""

from __future__ import annotations

from ..evaluate.dispatch import statement
from ..evaluate.names import stored_names
from ..evaluate.scope import Frame
from ..evaluate.values import Unknown
from ..source.nodes import ErrorStatement


@statement(ErrorStatement)
def _bind_unknown(frame: Frame, node: ErrorStatement) -> None:
    for name in stored_names(node):
        frame.store(name, Unknown(name))
