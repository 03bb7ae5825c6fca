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


@pytest.mark.parametrize(("faulty", "level"), [(True, Level.FAIL), (False, Level.PASS)])
def test_without_a_golden_the_program_is_held_against_exact_arithmetic(
    machine: Machine, faulty: bool, level: Level
) -> None:
    case = CASES["missing_cast"](faulty)
    judgement = judge(Request(machine, case.program, case.arrays))
    assert judgement.level is level
    assert judgement.golden == "exact arithmetic along the program"
    if judgement.departure is not None:
        assert judgement.departure.origin.span.line == case.line


def test_a_departure_names_operands_with_their_own_errors_and_the_region_of_the_output(machine: Machine) -> None:
    case = CASES["cancellation_in_variance"](True)
    departure = judge(Request(machine, case.program, case.arrays, golden=case.golden)).departure
    assert departure is not None
    inputs = [operand for operand in departure.operands if operand.role == "input"]
    (result,) = [operand for operand in departure.operands if operand.role == "output"]
    assert all(operand.max_relative is not None and operand.max_relative < 1e-6 for operand in inputs)
    assert result.max_relative is not None
    assert result.max_relative > 1e-3
    assert departure.region is not None
    assert (departure.region.tensor, departure.region.shape) == ("y", (8, 1))
