"""The judge on programs by hand: ten seeded faults at their lines, and their sound twins."""

from __future__ import annotations

import numpy as np
import pytest
from faulty_programs import CASES
from ptoscope_compiler import targets
from ptoscope_simulator.machine.machine import Machine
from ptoscope_simulator.precision.judge import Request, judge
from ptoscope_simulator.precision.judgement import Cause
from ptoscope_simulator.precision.verdict import Level


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine(targets.load("a2a3"))


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_seeded_fault_fails_at_its_line(machine: Machine, name: str) -> None:
    case = CASES[name](True)
    judgement = judge(Request(machine, case.program, case.arrays, golden=case.golden, golden_source="golden.npz"))
    assert judgement.level is Level.FAIL
    assert judgement.exit_code == 1
    found = judgement.departure
    assert found is not None
    if case.chain_only:
        assert found.cause is Cause.CHAIN
        assert case.line in [link.origin.span.line for link in found.chain]
    else:
        assert found.origin.span.line == case.line, found


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_sound_twin_passes(machine: Machine, name: str) -> None:
    case = CASES[name](False)
    judgement = judge(Request(machine, case.program, case.arrays, golden=case.golden, golden_source="golden.npz"))
    assert judgement.level is Level.PASS, judgement.outputs[0].verdict
    assert judgement.departure is None
    assert judgement.exit_code == 0


def test_inputs_stay_as_they_are(machine: Machine) -> None:
    case = CASES["overflow_in_exp"](True)
    before = {name: array.copy() for name, array in case.arrays.items()}
    judge(Request(machine, case.program, case.arrays, golden=case.golden))
    assert all(np.array_equal(before[name], case.arrays[name]) for name in before)
