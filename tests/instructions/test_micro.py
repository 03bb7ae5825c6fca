"""Vector micro instructions: registers of 256 bytes under predicates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import mask, register, run, tile
from ptoscope_compiler.dtype import FP16, FP32, INT32, UINT8, UINT16

_ALL = np.ones(64, bool)
_FIRST_TEN = np.arange(64) < 10
_GAPS = np.arange(64) % 2 == 0
_LANES = np.arange(64, dtype=np.float32)
_F32, _P32 = register(FP32), mask(32)


def _vector(opcode: str, *inputs: Any, output: Any = _F32, **attributes: Any) -> Any:
    views = tuple(
        None if not isinstance(value, np.ndarray) else _P32 if value.dtype == bool else _F32 for value in inputs
    )
    return run(opcode, output, *inputs, views=views, arch="3510", **attributes)


def test_inactive_lanes_are_zero_or_keep_the_destination() -> None:
    got = _vector("VADD", _LANES, _LANES, _FIRST_TEN)
    assert (got == np.where(_FIRST_TEN, 2 * _LANES, 0)).all()
    merged = _vector("VADD", _LANES, _LANES, _FIRST_TEN, _LANES - 100, merging=True)
    assert (merged == np.where(_FIRST_TEN, 2 * _LANES, _LANES - 100)).all()


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("VSUB", _LANES - (_LANES + 1)),
        ("VMUL", _LANES * (_LANES + 1)),
        ("VDIV", _LANES / (_LANES + 1)),
        ("VMAX", _LANES + 1),
        ("VMIN", _LANES),
        ("VABSDIF", np.ones(64)),
    ],
)
def test_binary_lanes(opcode: str, expected: Any) -> None:
    assert (_vector(opcode, _LANES, _LANES + 1, _ALL) == expected).all()


def test_scalar_and_unary_lanes() -> None:
    assert (_vector("VMULS", _LANES, 0.5, _ALL) == _LANES / 2).all()
    assert (_vector("VEXP", _LANES / 64, _ALL) == np.exp(_LANES / 64)).all()
    assert (_vector("VLRELU", _LANES - 5, 0.1, _ALL)[:3] == (_LANES - 5)[:3] * np.float32(0.1)).all()
    assert (_vector("VRELU", _LANES - 5, _ALL) == np.maximum(_LANES - 5, 0)).all()


def test_the_difference_of_exponentials_widens_half_of_the_lanes() -> None:
    halves = (np.arange(128) / 128).astype(np.float16)
    got = run(
        "VEXPDIF",
        _F32,
        halves,
        np.zeros_like(halves),
        _ALL,
        views=(register(FP16),) * 2 + (_P32,),
        part="ODD",
        arch="3510",
    )
    assert (got == np.exp(halves[1::2].astype(np.float32))).all()
    assert (_vector("VEXPDIF", _LANES, _LANES, _ALL) == 1).all()


def test_multiply_and_add_rounds_once() -> None:
    value = np.full(64, 1 + 2.0**-12, np.float32)
    exact = (1 + 2.0**-12) ** 2 - 1
    assert _vector("VMULA", value, value, _ALL, np.full(64, -1, np.float32))[0] == np.float32(exact)
    assert _vector("VMADD", value, np.full(64, -1, np.float32), _ALL, value)[0] == np.float32(exact)


def test_carries_and_borrows() -> None:
    left, right = np.full(64, -1, np.int32), np.ones(64, np.int32)
    total, carried = run("VADDC", (register(INT32), _P32), left, right, _ALL, views=(None,) * 3, arch="3510")
    assert not total.any()
    assert carried.all()
    again, _ = run("VADDCS", (register(INT32), _P32), total, total, carried, _ALL, views=(None,) * 4, arch="3510")
    assert (again == 1).all()
    difference, fits = run("VSUBC", (register(INT32), _P32), total, right, _ALL, views=(None,) * 3, arch="3510")
    assert (difference == -1).all()
    assert not fits.any()
    low, high = run("VMULL", (register(INT32),) * 2, left, left - 1, _ALL, views=(None,) * 3, arch="3510")
    assert (low[0], high[0]) == (2, 0)


def test_comparisons_and_selection() -> None:
    less = _vector("VCMPS", _LANES, 10.0, _ALL, output=_P32, compare="LT")
    assert (less == _FIRST_TEN).all()
    assert (_vector("VCMP", _LANES, _LANES, _GAPS, output=_P32, compare="EQ") == _GAPS).all()
    assert (_vector("VSEL", _LANES, -_LANES, less) == np.where(_FIRST_TEN, _LANES, -_LANES)).all()


def test_reductions_leave_one_result() -> None:
    assert _vector("VCADD", _LANES, _FIRST_TEN).tolist() == [45.0, *([0.0] * 63)]
    largest = _vector("VCMAX", _LANES, _FIRST_TEN)
    assert largest[0] == 9
    assert largest[1:2].view(np.uint32)[0] == 9
    assert _vector("VCGADD", _LANES, _ALL)[:8].tolist() == _LANES.reshape(8, 8).sum(-1).tolist()
    assert _vector("VCGMIN", _LANES, _ALL)[:8].tolist() == list(range(0, 64, 8))
    assert _vector("VCPADD", _LANES, _ALL)[:2].tolist() == [1, 5]


def test_predicates_from_patterns_and_counts() -> None:
    assert run("PSET_B32", _P32, pattern="VL8").sum() == 8
    assert run("PSET_B16", mask(16), pattern="H").sum() == 64
    assert run("PSET_B32", _P32, pattern="M4").sum() == 16
    assert run("PLT_B32", _P32, 10).tolist() == _FIRST_TEN.tolist()
    assert run("PLT_B32", _P32, -1).all()
    assert (run("PAND", _P32, _FIRST_TEN, _GAPS, _ALL, views=(_P32,) * 3) == (_FIRST_TEN & _GAPS)).all()
    assert (run("PNOT", _P32, _FIRST_TEN, _GAPS, views=(_P32,) * 2) == (~_FIRST_TEN & _GAPS)).all()


def test_a_predicate_survives_memory() -> None:
    stored = run("PSTS", tile(UINT8, (32,)), _GAPS, views=(_P32,))
    assert stored.shape == (32,)
    assert (run("PLDS", _P32, stored, views=(tile(UINT8, (32,)),)) == _GAPS).all()


@pytest.mark.parametrize(
    ("dist", "count", "first"),
    [
        ("NORM", 64, [0, 1, 2, 3]),
        ("BRC_B32", 1, [0, 0, 0, 0]),
        ("BLK", 8, [0, 1, 2, 3]),
        ("E2B_B32", 8, [0, 0, 0, 0]),
        ("US_B32", 32, [0, 0, 1, 1]),
        ("DS_B32", 128, [0, 2, 4, 6]),
        ("UNPK_B32", 32, [0, 0, 1, 0]),
        ("UNPK4", 16, [0, 0, 0, 0]),
    ],
)
def test_load_distributions(dist: str, count: int, first: list[int]) -> None:
    source = np.arange(count, dtype=np.float32)
    got = run("VLDS", _F32, source, views=(tile(FP32, (count,)),), dist=dist)
    assert got.shape == (64,)
    assert got[:4].tolist() == first


def test_a_store_writes_active_lanes_only() -> None:
    target = tile(FP32, (64,))
    assert run("VSTS", target, _LANES, _FIRST_TEN, views=(_F32, _P32)).tolist() == list(range(10))
    old = np.full(64, -1, np.float32)
    kept = run("VSTS", target, _LANES, _GAPS, old, views=(_F32, _P32, target))
    assert (kept == np.where(_GAPS, _LANES, -1)[:63]).all()
    with pytest.raises(ValueError, match="gaps"):
        run("VSTS", target, _LANES, _GAPS, views=(_F32, _P32))


def test_store_distributions() -> None:
    target = tile(FP32, (64,))
    assert run("VSTS", target, _LANES, _ALL, views=(_F32, _P32), dist="FIRST_ELEMENT").tolist() == [0]
    halves = np.arange(128, dtype=np.float16)
    packed = run(
        "VSTS", tile(FP16, (64,)), halves, np.ones(128, bool), views=(register(FP16), mask(16)), dist="PACK_B32"
    )
    assert packed.tolist() == list(range(0, 128, 2))
    woven = run("VSTSX2", tile(FP32, (128,)), _LANES, -_LANES, _ALL, views=(_F32, _F32, _P32))
    assert woven[:4].tolist() == [0, 0, 1, -1]


def test_gathers_and_scatters_of_lanes() -> None:
    memory = np.arange(100, dtype=np.float32)
    indices = np.arange(64, dtype=np.int32)[::-1].copy()
    got = run("VGATHER2", _F32, memory, indices, _FIRST_TEN, views=(tile(FP32, (100,)), None, _P32))
    assert got[:11].tolist() == [*range(63, 53, -1), 0]
    written = run("VSCATTER", tile(FP32, (100,)), _LANES, indices, _FIRST_TEN, memory, views=(_F32, None, _P32, None))
    assert written[63] == 0
    assert written[54] == 9
    assert written[53] == 53


def test_rearrangements() -> None:
    low, high = run("VINTLV", (_F32, _F32), _LANES, -_LANES, views=(_F32, _F32))
    assert low[:4].tolist() == [0, 0, 1, -1]
    even, odd = run("VDINTLV", (_F32, _F32), low, high, views=(_F32, _F32))
    assert (even == _LANES).all()
    assert (odd == -_LANES).all()
    assert run("VSQZ", _F32, _LANES, _GAPS, views=(_F32, _P32))[:3].tolist() == [0, 2, 4]
    assert run("VUSQZ", register(INT32), _GAPS, views=(_P32,))[:4].tolist() == [0, 1, 1, 2]
    assert run("VDUP", _F32, 2.5, _FIRST_TEN, views=(None, _P32)).sum() == 25
    assert run("VDUP", _F32, _LANES, _ALL, views=(_F32, _P32), position="HIGHEST")[0] == 63
    assert run("VCI", register(INT32), 3, order="DECREASE_ORDER")[:3].tolist() == [3, 2, 1]
    words = np.arange(64, dtype=np.int32)
    packed = run("VPACK", register(UINT16), words, views=(register(INT32),), part="UPPER")
    assert packed[64:67].tolist() == [0, 1, 2]
    assert (run("VUNPACK", register(INT32), packed, views=(register(UINT16),), part="UPPER") == words).all()


def test_an_exact_run_keeps_float64_lanes() -> None:
    value = np.full(64, 0.1)
    got = run("VMUL", _F32, value, value, _ALL, views=(_F32, _F32, _P32), exact=True)
    assert got[0] == 0.1 * 0.1
    assert run("VDUP", _F32, 0.1, views=(None,), exact=True)[0] == 0.1


def test_a_memory_barrier_has_no_result() -> None:
    assert run("MEM_BAR", ()) == ()
