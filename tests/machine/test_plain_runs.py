"""Plain runs: results in the caller's arrays, control flow, windows, grids, element access, printing."""

from __future__ import annotations

import numpy as np
import pytest
from programs import (
    Lines,
    core,
    handover,
    pro_program,
    run,
    set_flag,
    tensor_program,
    tile,
    wait_flag,
    window,
)
from ptoscope_compiler import targets
from ptoscope_compiler.dtype import FP16, FP32, INT32
from ptoscope_compiler.hardware import CoreKind, Layout, MemorySpace, Pipe
from ptoscope_compiler.pto import program as pto
from ptoscope_compiler.scalar import ElementRead, Symbol, add, apply, mul
from ptoscope_simulator.machine.errors import MachineError
from ptoscope_simulator.machine.machine import Machine

MTE2, V, MTE3 = Pipe.MTE2, Pipe.V, Pipe.MTE3


@pytest.fixture
def machine() -> Machine:
    return Machine(targets.load("a2a3"))


def _add_tiles(tiles_per_axis: int) -> pto.PtoProgram:
    lines, extent = Lines(), 16 * tiles_per_axis
    left, right = tile(0, (16, 16)), tile(1024, (16, 16))
    offset = add(mul(Symbol("i"), 16 * extent), mul(Symbol("j"), 16))

    def part(name: str):
        return window(name, (16, 16), (extent, 1), offset)

    body = [
        run(lines, "TLOAD", left, [part("x")]),
        run(lines, "TLOAD", right, [part("y")]),
        *handover(lines, MTE2, V),
        run(lines, "TADD", left, [left, right]),
        *handover(lines, V, MTE3),
        run(lines, "TSTORE", part("z"), [left]),
    ]
    program = core("add", body, "xyz", scalars="ij")
    parameters = dict.fromkeys("xyz", ((extent, extent), FP32))
    return tensor_program(program, parameters, {"i": Symbol("grid0"), "j": Symbol("grid1")}, (tiles_per_axis,) * 2)


def test_a_grid_of_calls_covers_the_whole_tensor(machine: Machine) -> None:
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    y, z = x * 3, np.zeros_like(x)
    ran = machine.run(_add_tiles(4), {"x": x, "y": y, "z": z})
    assert ran.calls == 16
    assert np.array_equal(z, x + y)


def test_results_land_in_an_array_that_is_not_contiguous(machine: Machine) -> None:
    x = np.ones((32, 32), np.float32)
    backing = np.zeros((32, 64), np.float32)
    machine.run(_add_tiles(2), {"x": x, "y": x, "z": backing[:, ::2]})
    assert np.array_equal(backing[:, ::2], x + x)
    assert not backing[:, 1::2].any()


def test_loops_branches_and_jumps(machine: Machine) -> None:
    lines = Lines()
    total, index = Symbol("total"), Symbol("k")
    body = [
        pto.Assign("total", 0, lines()),
        pto.For(
            "k",
            0,
            100,
            3,
            (
                pto.If(apply("eq", apply("mod", index, 2), 1), (pto.Continue(lines()),), (), lines()),
                pto.If(apply("gt", index, 60), (pto.Break(lines()),), (), lines()),
                pto.Assign("total", add(total, index), lines()),
            ),
            lines(),
        ),
        pto.While(
            (
                pto.Assign("total", add(total, 1000), lines()),
                pto.If(apply("gt", total, 5000), (pto.Break(lines()),), (), lines()),
            ),
            lines(),
        ),
        pto.WriteElement(window("out", (2,), (1,), 0, INT32), (1,), total, lines()),
        pto.Return(lines()),
        pto.WriteElement(window("out", (2,), (1,), 0, INT32), (0,), 7, lines()),
    ]
    out = np.zeros(2, np.int32)
    machine.run(tensor_program(core("count", body, ["out"]), {"out": ((2,), INT32)}), {"out": out})
    expected = sum(k for k in range(0, 61, 3) if k % 2 == 0)
    while expected <= 5000:
        expected += 1000
    assert out.tolist() == [0, expected]


def test_the_scheduler_walks_loops_branches_and_stores(machine: Machine) -> None:
    lines = Lines()
    place = tile(0, (1, 8))
    row = window("x", (1, 8), (8, 1), mul(Symbol("row"), 8))
    body = [
        run(lines, "TLOAD", place, [row]),
        run(lines, "TADDS", place, [place, 1.0]),
        run(lines, "TSTORE", row, [place]),
    ]
    increment = core("increment", body, ["x"], scalars=["row"])
    origin = increment.origin
    call = pto.Call("increment", {"x": "x"}, {"row": Symbol("i")}, (), origin)
    control = (
        pto.Repeat(
            "i",
            0,
            ElementRead("lengths", (0,)),
            1,
            (
                pto.Choose(
                    apply("ne", Symbol("i"), 1),
                    (pto.Tasks((call,), origin),),
                    (pto.StoreElement("lengths", (1,), 42, origin),),
                    origin,
                ),
            ),
            origin,
        ),
    )
    x, lengths = np.zeros((4, 8), np.float32), np.array([3, 0], np.int32)
    parameters = {"x": ((Symbol("x.shape[0]"), 8), FP32), "lengths": ((2,), INT32)}
    machine.run(tensor_program(increment, parameters, control=control), {"x": x, "lengths": lengths})
    assert x[:, 0].tolist() == [1, 0, 1, 0]
    assert lengths.tolist() == [3, 42]


def test_valid_regions_follow_run_time_scalars(machine: Machine) -> None:
    lines = Lines()
    rows = Symbol("rows")
    place = tile(0, (8, 8), valid=(rows, 8))
    body = [
        run(lines, "TLOAD", place, [window("x", (rows, 8), (8, 1))]),
        run(lines, "TMULS", place, [place, 2.0]),
        run(lines, "TSTORE", window("y", (rows, 8), (8, 1)), [place]),
    ]
    program = tensor_program(
        core("tail", body, "xy", scalars=["rows"]),
        dict.fromkeys("xy", ((8, 8), FP32)),
        {"rows": add(Symbol("grid0"), 3)},
        (2,),
    )
    x, y = np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32)
    machine.run(program, {"x": x, "y": y})
    assert y[:, 0].tolist() == [2, 2, 2, 2, 0, 0, 0, 0]


def test_boxed_tiles_multiply(machine: Machine) -> None:
    lines, extent = Lines(), 32
    l1_a = tile(0, (extent, extent), FP16, MemorySpace.L1, layout=Layout.NZ)
    l1_b = tile(4096, (extent, extent), FP16, MemorySpace.L1, layout=Layout.NZ)
    parts = []
    acc = tile(0, (extent, extent), FP32, MemorySpace.L0C, layout=Layout.NZ, fractal=1024)
    for step, opcode in enumerate(("TMATMUL", "TMATMUL_ACC")):
        left = tile(0, (extent, 16), FP16, MemorySpace.L0A, layout=Layout.ZZ)
        right = tile(0, (16, extent), FP16, MemorySpace.L0B, layout=Layout.ZN)
        parts += [
            run(lines, "TEXTRACT", left, [l1_a], index_row=0, index_col=16 * step),
            run(lines, "TEXTRACT", right, [l1_b], index_row=16 * step, index_col=0),
            run(lines, opcode, acc, [left, right] if step == 0 else [acc, left, right]),
        ]
    whole = {name: window(name, (extent, extent), (extent, 1), 0, FP16) for name in "ab"}
    body = [
        run(lines, "TLOAD", l1_a, [whole["a"]]),
        run(lines, "TLOAD", l1_b, [whole["b"]]),
        *parts,
        run(lines, "TSTORE", window("c", (extent, extent), (extent, 1)), [acc], Pipe.FIX),
    ]
    parameters = {"a": ((extent, extent), FP16), "b": ((extent, extent), FP16), "c": ((extent, extent), FP32)}
    program = pro_program(parameters, cube=core("mm", body, "abc", CoreKind.AIC))
    generator = np.random.default_rng(1)
    a, b = (generator.standard_normal((extent, extent)).astype(np.float16) for _ in range(2))
    c = np.zeros((extent, extent), np.float32)
    machine.run(program, {"a": a, "b": b, "c": c})
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)


def test_blocks_know_their_place_and_both_vector_cores_run(machine: Machine) -> None:
    def note(first: int, stride: int, kind: CoreKind) -> pto.CoreProgram:
        lines = Lines()
        target = window("out", (64,), (1,), 0, INT32)
        at = add(mul(Symbol("block_idx"), stride), first)
        value = add(mul(Symbol("block_num"), 100), add(mul(Symbol("subblock_num"), 10), Symbol("subblock_idx")))
        return core(f"note{kind.value}", [pto.WriteElement(target, (at,), value, lines())], ["out"], kind)

    program = pro_program({"out": ((64,), INT32)}, note(0, 1, CoreKind.AIC), note(32, 1, CoreKind.AIV))
    out = np.zeros(64, np.int32)
    machine.run(program, {"out": out}, block_num=2)
    assert out[:3].tolist() == [210, 210, 0]
    assert out[32:37].tolist() == [220, 221, 220, 221, 0]


def test_cube_and_vector_hand_over_by_cross_core_flags(machine: Machine) -> None:
    lines = Lines()
    shared = window("x", (4,), (1,), 0, INT32)

    def set_cross(pipe: Pipe, event: int) -> pto.SetCrossCore:
        return pto.SetCrossCore(pipe, event, "intra_block", lines())

    def wait_cross(pipe: Pipe, event: int) -> pto.WaitCrossCore:
        return pto.WaitCrossCore(pipe, event, "intra_block", lines())

    sub = Symbol("subblock_idx")
    cube = [
        wait_cross(Pipe.S, 0),
        pto.ReadElement("a", shared, (0,), lines()),
        pto.ReadElement("b", shared, (1,), lines()),
        pto.WriteElement(shared, (2,), add(Symbol("a"), Symbol("b")), lines()),
        set_cross(Pipe.S, 1),
    ]
    vector = [
        pto.WriteElement(shared, (sub,), add(sub, 5), lines()),
        set_cross(Pipe.S, 0),
        wait_cross(Pipe.S, 1),
        pto.ReadElement("sum", shared, (2,), lines()),
        pto.If(apply("eq", sub, 1), (pto.WriteElement(shared, (3,), mul(Symbol("sum"), 2), lines()),), (), lines()),
    ]
    program = pro_program({"x": ((4,), INT32)}, core("c", cube, "x", CoreKind.AIC), core("v", vector, "x"))
    x = np.zeros(4, np.int32)
    machine.run(program, {"x": x})
    assert x.tolist() == [5, 6, 11, 22]


def test_all_cores_meet_at_a_barrier(machine: Machine) -> None:
    lines, here = Lines(), Symbol("block_idx")
    cells = window("x", (8,), (1,), 0, INT32)
    body = [
        pto.WriteElement(cells, (here,), add(here, 1), lines()),
        pto.SyncAll("AIV", lines()),
        pto.ReadElement("next", cells, (apply("mod", add(here, 1), 4),), lines()),
        pto.WriteElement(cells, (add(here, 4),), Symbol("next"), lines()),
    ]
    x = np.zeros(8, np.int32)
    machine.run(pro_program({"x": ((8,), INT32)}, vector=core("v", body, "x")), {"x": x}, block_num=4)
    assert x.tolist() == [1, 2, 3, 4, 2, 3, 4, 1]


def test_a_window_outside_its_buffer_is_a_finding_at_its_line(machine: Machine) -> None:
    lines = Lines()
    place = tile(0, (8, 8))
    body = [run(lines, "TLOAD", place, [window("x", (8, 8), (8, 1), 8)])]
    with pytest.raises(MachineError) as caught:
        machine.run(tensor_program(core("k", body, "x"), {"x": ((8, 8), FP32)}), {"x": np.zeros((8, 8), np.float32)})
    finding = caught.value.diagnostic
    assert (finding.code, finding.span.line) == ("PT251", 1)
    assert "element 8 to 71 of x, which has 64" in finding.message()


def test_a_tile_outside_its_space_is_a_finding(machine: Machine) -> None:
    lines = Lines()
    body = [run(lines, "TEXPANDS", tile(192 * 1024 - 128, (8, 8)), [0.0])]
    with pytest.raises(MachineError) as caught:
        machine.run(tensor_program(core("k", body), {}), {})
    assert caught.value.diagnostic.code == "PT251"
    assert "of UB, which has 196608" in caught.value.diagnostic.message()


def test_an_endless_loop_ends_with_the_line_of_the_loop() -> None:
    lines = Lines()
    body = [pto.Assign("n", 0, lines()), pto.While((pto.Assign("n", add(Symbol("n"), 1), lines()),), lines())]
    machine = Machine(targets.load("a2a3"), step_budget=1000)
    with pytest.raises(MachineError) as caught:
        machine.run(tensor_program(core("k", body), {}), {})
    assert (caught.value.diagnostic.code, caught.value.diagnostic.span.line) == ("PT951", 3)


def test_an_unknown_instruction_matters_only_where_it_is_reached(machine: Machine) -> None:
    lines = Lines()
    unknown = run(lines, "TNOSUCH", tile(0, (8, 8)))
    guarded = pto.If(Symbol("go"), (unknown,), (), lines())
    program = core("k", [guarded], scalars=["go"])
    machine.run(tensor_program(program, {}, {"go": 0}), {})
    with pytest.raises(MachineError) as caught:
        machine.run(tensor_program(program, {}, {"go": 1}), {})
    assert (caught.value.diagnostic.code, caught.value.diagnostic.span.line) == ("PT952", 1)


def test_operands_that_do_not_fit_are_a_finding_not_a_traceback(machine: Machine) -> None:
    lines = Lines()
    body = [run(lines, "TADD", tile(0, (8, 8)), [tile(0, (8, 8)), tile(0, (8, 16))])]
    with pytest.raises(MachineError) as caught:
        machine.run(tensor_program(core("k", body), {}), {})
    assert caught.value.diagnostic.code == "PT954"
    assert "TADD cannot run" in caught.value.diagnostic.message()


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({}, "tensor 'x' is missing"),
        ({"x": np.zeros((32, 32), np.float64), "y": None, "z": None}, "the kernel takes DT_FP32"),
        ({"x": np.zeros((32, 31), np.float32), "y": None, "z": None}, "has shape [32, 31], the kernel takes [32, 32]"),
    ],
)
def test_a_launch_that_does_not_fit_the_signature(machine: Machine, arrays: dict, reason: str) -> None:
    with pytest.raises(MachineError) as caught:
        machine.run(_add_tiles(2), arrays)
    assert caught.value.diagnostic.code == "PT955"
    assert reason in str(caught.value)


def test_device_side_printf() -> None:
    lines, printed = Lines(), []
    body = [
        pto.Assign("n", 7, lines()),
        pto.Print("n=%d half=%.2f hex=%#x 100%%", (Symbol("n"), 0.5, 255), lines()),
        run(lines, "TEXPANDS", tile(0, (1, 8)), [1.5]),
        pto.Print("tile", (tile(0, (1, 8), valid=(1, 2)),), lines()),
    ]
    Machine(targets.load("a2a3"), output=printed.append).run(tensor_program(core("k", body), {}), {})
    assert printed == ["n=7 half=0.50 hex=0xff 100%", "tile\n[[1.5 1.5]]"]


def test_a_token_left_by_one_call_does_not_reach_the_next(machine: Machine) -> None:
    lines = Lines()
    wait_first = pto.If(Symbol("second"), (wait_flag(lines, V, Pipe.S),), (), lines())
    program = core("k", [wait_first, set_flag(lines, V, Pipe.S)], scalars=["second"])
    with pytest.raises(MachineError) as caught:
        machine.run(tensor_program(program, {}, {"second": Symbol("grid0")}, (2,)), {})
    assert caught.value.diagnostic.code == "PT551"


def test_a_window_that_is_transposed_on_its_way_has_the_extents_swapped(machine: Machine) -> None:
    lines = Lines()
    source = tile(0, (32, 32), FP16, MemorySpace.L1, layout=Layout.NZ, valid=(20, 24))
    left = tile(0, (32, 32), FP16, MemorySpace.L0A, layout=Layout.ZZ, valid=(8, 20))
    eye = tile(4096, (32, 32), FP16, MemorySpace.L1, layout=Layout.NZ, valid=(20, 20))
    right = tile(0, (32, 32), FP16, MemorySpace.L0B, layout=Layout.ZN, valid=(20, 20))
    acc = tile(0, (32, 32), FP32, MemorySpace.L0C, layout=Layout.NZ, fractal=1024, valid=(8, 20))
    body = [
        run(lines, "TLOAD", source, [window("a", (20, 24), (24, 1), 0, FP16)]),
        run(lines, "TLOAD", eye, [window("b", (20, 20), (20, 1), 0, FP16)]),
        run(lines, "TEXTRACT", left, [source], index_row=0, index_col=16, transpose=True),
        run(lines, "TEXTRACT", right, [eye], index_row=0, index_col=0),
        run(lines, "TMATMUL", acc, [left, right]),
        run(lines, "TSTORE", window("c", (8, 20), (20, 1)), [acc], Pipe.FIX),
    ]
    parameters = {"a": ((20, 24), FP16), "b": ((20, 20), FP16), "c": ((8, 20), FP32)}
    program = pro_program(parameters, cube=core("mm", body, "abc", CoreKind.AIC))
    a = np.arange(480, dtype=np.float16).reshape(20, 24)
    c = np.zeros((8, 20), np.float32)
    machine.run(program, {"a": a, "b": np.eye(20, dtype=np.float16), "c": c})
    assert np.array_equal(c, a[:, 16:].T.astype(np.float32))


@pytest.mark.parametrize("address", [64, Symbol("place")])
def test_bytes_that_nobody_wrote_are_zero_in_each_run(machine: Machine, address: object) -> None:
    lines, cells = Lines(), tile(address, (1, 16))
    guarded = pto.If(
        ElementRead("flag", (0,)), (run(lines, "TLOAD", cells, [window("x", (1, 16), (16, 1))]),), (), lines()
    )
    body = [guarded, *handover(lines, MTE2, MTE3), run(lines, "TSTORE", window("y", (1, 16), (16, 1)), [cells])]
    parameters = {"x": ((1, 16), FP32), "y": ((1, 16), FP32), "flag": ((1,), INT32)}
    program = tensor_program(core("k", body, parameters, scalars=["place"]), parameters, {"place": 64})
    x, y = np.ones((1, 16), np.float32), np.zeros((1, 16), np.float32)
    for flag in (1, 0, 1, 1, 0):
        machine.run(program, {"x": x, "y": y, "flag": np.array([flag], np.int32)})
        assert (y == flag).all()
