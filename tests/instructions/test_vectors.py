"""Semantics against vectors recorded from the CPU simulator of PTO-ISA."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ptoscope_simulator.instructions.registry import opcodes
from ptoscope_simulator.instructions.vectors import Case, Rules, cases, compare, replay, summation_error

_CASES = list(cases(Path(__file__).parent / "vectors"))
_CPU = Rules("cpu")
_SUMS = ("TROWSUM", "TMATMUL", "TGEMV")
_APPROXIMATE = ("TEXP", "TLOG", "TRSQRT", "TROWEXPANDEXPDIF", "TCOLEXPANDEXPDIF")


def _named(name: str) -> Case:
    return next(case for case in _CASES if case.name == name)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_replays_as_recorded(case: Case) -> None:
    result = compare(case, _CPU)
    assert not result.error
    if case.opcode.startswith(_SUMS):
        assert summation_error(case, replay(case, _CPU)[case.outputs[0]]) < 8
    elif case.opcode.startswith(_APPROXIMATE):
        assert result.ulp <= 3
        assert all(difference.outside == 0 for difference in result.outputs.values())
    else:
        assert result.equal, result.outputs


def test_the_vectors_cover_nearly_every_tile_instruction() -> None:
    covered = {case.opcode for case in _CASES}
    tile_instructions = {opcode for opcode in opcodes() if opcode.startswith(("T", "M")) and opcode != "MEM_BAR"}
    assert len(covered & tile_instructions) >= 120


def test_hardware_pads_a_row_to_32_bytes_only() -> None:
    """Of a 16 x 64 tile with 13 x 50 valid, hardware leaves all but 13 x 56 elements as they were."""
    case = _named("TLOAD__f32_nd_vec_padmax")
    before, after = (
        case.before["dst"].reshape(16, 64),
        replay(case, Rules("2201"))["dst"].view(np.float32).reshape(16, 64),
    )
    assert np.isposinf(after[:13, 50:56]).all()
    changed = after.view(np.uint32) != before.view(np.uint32)
    assert changed[:13, :56].all()
    assert changed.sum() == 13 * 56


def test_a2a3_quantises_to_int8_by_way_of_float16() -> None:
    case = (
        _named("TQUANT__int8_sym") if any(c.name == "TQUANT__int8_sym" for c in _CASES) else _named("TQUANT__int8_asym")
    )
    assert compare(case, Rules("3510")).equal
    assert compare(case, Rules("2201")).ulp == 1


def test_a_case_that_departs_is_reported() -> None:
    case = _named("TADD__f32_8x64_v5x40")
    spoilt = {name: array.copy() for name, array in case.after.items()}
    spoilt["dst"][3] += 1
    result = compare(Case(**{**_fields(case), "after": spoilt}), _CPU)
    assert not result.equal
    assert result.outputs["dst"].elements == 1


def _fields(case: Case) -> dict[str, object]:
    return {name: getattr(case, name) for name in Case.__dataclass_fields__}
