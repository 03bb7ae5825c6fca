"""The simulated NPU of a user's process."""

from __future__ import annotations

import functools

from ptoscope_compiler import targets

from ..machine.machine import DEFAULT_STEP_BUDGET, Machine
from .session import current


def machine() -> Machine:
    """The process's machine: one per target and step budget, so that prepared programs are kept."""
    session = current()
    return _machine(session.target, session.step_budget or DEFAULT_STEP_BUDGET)


@functools.cache
def _machine(target: str, step_budget: int) -> Machine:
    return Machine(targets.load(target), step_budget, output=lambda line: current().on_output(line))
