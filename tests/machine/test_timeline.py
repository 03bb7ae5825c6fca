"""The logged path: the same results as plain runs, pipes in simulated time, hazards with both lines, undo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs import Lines, core, handover, pro_program, run, set_flag, tensor_program, tile, wait_flag, window
from ptoscope_compiler import targets
from ptoscope_compiler.dtype import FP32, INT32
from ptoscope_compiler.hardware import CoreKind, Pipe
from ptoscope_compiler.pto import program as pto
from ptoscope_compiler.scalar import Symbol, add, mul
from ptoscope_simulator.machine.errors import MachineError
from ptoscope_simulator.machine.events import CallStarted, Finished, HazardFound, InstructionFinished, Waiting
from ptoscope_simulator.machine.hazards import Checks
from ptoscope_simulator.machine.machine import Machine
from ptoscope_simulator.machine.timeline import Timeline

MTE2, V, MTE3 = Pipe.MTE2, Pipe.V, Pipe.MTE3


@pytest.fixture
def machine() -> Machine:
    return Machine(targets.load("a2a3"))


def simulate(machine: Machine, program: pto.PtoProgram, arrays: dict[str, np.ndarray], **options: Any):
    events: list[Any] = []
    timeline = machine.simulate(program, arrays, observers=[events.append], **options)
    timeline.run()
    return timeline, events


def hazards(events: list[Any]) -> list[tuple[str, int, list[int]]]:
    """Code, line and related lines of each hazard."""
    found = [event.diagnostic for event in events if isinstance(event, HazardFound)]
    return [(f.code, f.span.line, [related.span.line for related in f.related]) for f in found]


def vector_program(body: list[Any], names: str = "xy") -> pto.PtoProgram:
    return tensor_program(core("k", body, names), dict.fromkeys(names, ((8, 8), FP32)))


def part(name: str):
    return window(name, (8, 8), (8, 1))


def arrays(names: str = "xy") -> dict[str, np.ndarray]:
    return {name: np.full((8, 8), 3.0 if name == "x" else 0.0, np.float32) for name in names}


def sound(lines: Lines) -> list[Any]:
    place = tile(0, (8, 8))
    return [
        run(lines, "TLOAD", place, [part("x")]),
        *handover(lines, MTE2, V),
        run(lines, "TMULS", place, [place, 2.0]),
        *handover(lines, V, MTE3),
        run(lines, "TSTORE", part("y"), [place]),
    ]


def test_a_synchronised_program_has_no_hazards_and_takes_time(machine: Machine) -> None:
    data = arrays()
    timeline, events = simulate(machine, vector_program(sound(Lines())), data)
    assert hazards(events) == []
    assert np.array_equal(data["y"], data["x"] * 2)
    assert timeline.cycle > 6
    assert isinstance(events[-1], Finished)
    assert [event.statement.opcode for event in events if isinstance(event, InstructionFinished)] == [
        "TLOAD", "TMULS", "TSTORE"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("removed", "kind", "line", "other"),
    [(slice(1, 3), "read after write", 4, 1), (slice(4, 6), "read after write", 7, 4)],
)
def test_a_missing_flag_is_a_race_with_both_lines(
    machine: Machine, removed: slice, kind: str, line: int, other: int
) -> None:
    body = sound(Lines())
    del body[removed]
    _, events = simulate(machine, vector_program(body), arrays())
    races = [event.diagnostic for event in events if isinstance(event, HazardFound)]
    found = {(race.span.line, race.related[0].span.line): race.message() for race in races if race.code == "PT554"}
    assert kind in found[line, other]


def test_a_missing_flag_shows_in_the_result(machine: Machine) -> None:
    body = sound(Lines())
    del body[1:3]
    data = arrays()
    simulate(machine, vector_program(body), data)
    assert not np.array_equal(data["y"], data["x"] * 2)


def test_a_load_over_data_that_is_still_read_is_a_race(machine: Machine) -> None:
    lines = Lines()
    place, other = tile(0, (8, 8)), tile(256, (8, 8))
    body = [
        run(lines, "TLOAD", place, [part("x")]),
        *handover(lines, MTE2, V),
        run(lines, "TMULS", other, [place, 2.0]),
        run(lines, "TLOAD", place, [part("y")]),
    ]
    _, events = simulate(machine, vector_program(body), arrays())
    assert hazards(events) == [("PT554", 5, [4])]


def test_mutexes_and_barriers_order_accesses(machine: Machine) -> None:
    lines, place = Lines(), tile(0, (8, 8))

    def locked(pipe: Pipe, *statements: Any) -> list[Any]:
        return [pto.MutexLock(pipe, 3, lines()), *statements, pto.MutexUnlock(pipe, 3, lines())]

    body = [
        *locked(MTE2, run(lines, "TLOAD", place, [part("x")])),
        *locked(V, run(lines, "TMULS", place, [place, 2.0])),
        pto.Barrier(Pipe.ALL, lines()),
        run(lines, "TSTORE", part("y"), [place]),
    ]
    data = arrays()
    _, events = simulate(machine, vector_program(body), data)
    assert hazards(events) == []
    assert np.array_equal(data["y"], data["x"] * 2)


def test_an_uninitialised_read_counts_its_elements(machine: Machine) -> None:
    lines = Lines()
    whole, half = tile(0, (8, 8)), tile(0, (8, 8), valid=(4, 8))
    body = [
        run(lines, "TLOAD", half, [window("x", (4, 8), (8, 1))]),
        *handover(lines, MTE2, V),
        run(lines, "TMULS", whole, [whole, 2.0]),
    ]
    _, events = simulate(machine, vector_program(body), arrays())
    (event,) = [event for event in events if isinstance(event, HazardFound)]
    assert (event.diagnostic.code, event.diagnostic.span.line) == ("PT351", 4)
    assert "32 of 64 elements" in event.diagnostic.message()


def test_checks_can_be_raised_or_switched_off(machine: Machine) -> None:
    lines = Lines()
    body = [run(lines, "TMULS", tile(0, (8, 8)), [tile(0, (8, 8)), 2.0])]
    with pytest.raises(MachineError) as caught:
        simulate(machine, vector_program(body), arrays(), checks=Checks(uninit="raise"))
    assert caught.value.diagnostic.code == "PT351"
    _, events = simulate(machine, vector_program(body), arrays(), checks=Checks(uninit="off"))
    assert hazards(events) == []


def test_an_access_out_of_bounds_can_be_skipped(machine: Machine) -> None:
    lines = Lines()
    body = [run(lines, "TLOAD", tile(0, (8, 8)), [window("x", (8, 8), (8, 1), 8)])]
    with pytest.raises(MachineError):
        simulate(machine, vector_program(body), arrays())
    _, events = simulate(machine, vector_program(body), arrays(), checks=Checks(oob="warn"))
    assert hazards(events) == [("PT251", 1, [])]


def test_a_misaligned_tile_is_found(machine: Machine) -> None:
    lines = Lines()
    body = [run(lines, "TEXPANDS", tile(4, (8, 8)), [1.0])]
    _, events = simulate(machine, vector_program(body), arrays())
    assert hazards(events) == [("PT151", 1, [])]


def test_flags_set_twice_and_never_awaited(machine: Machine) -> None:
    lines = Lines()
    body = [set_flag(lines, V, MTE3), set_flag(lines, V, MTE3)]
    _, events = simulate(machine, vector_program(body), arrays())
    assert [code for code, _, _ in hazards(events)] == ["PT552", "PT553"]


def test_a_deadlock_between_pipes_is_told_as_a_chain(machine: Machine) -> None:
    lines = Lines()
    body = [
        wait_flag(lines, V, MTE2, 0),
        set_flag(lines, MTE2, V, 1),
        wait_flag(lines, MTE2, V, 1),
        set_flag(lines, V, MTE2, 0),
    ]
    with pytest.raises(MachineError) as caught:
        machine.run(vector_program(body), arrays())
    finding = caught.value.diagnostic
    assert finding.code == "PT551"
    message = finding.message()
    assert "PIPE_MTE2 waits for flag V->MTE2 0 at kernel.py:1" in message
    assert "PIPE_V waits for flag MTE2->V 1 at kernel.py:3" in message
    assert "is where this began" in message


def test_a_wait_before_its_set_in_program_order_goes_on_where_pipes_allow(machine: Machine) -> None:
    lines, place = Lines(), tile(0, (8, 8))
    body = [
        wait_flag(lines, MTE2, V),
        run(lines, "TMULS", place, [place, 2.0]),
        run(lines, "TLOAD", place, [part("x")]),
        set_flag(lines, MTE2, V),
        *handover(lines, V, MTE3),
        run(lines, "TSTORE", part("y"), [place]),
    ]
    data = arrays()
    machine.run(vector_program(body), data)
    assert np.array_equal(data["y"], data["x"] * 2)


def test_a_deadlock_between_cores_names_both(machine: Machine) -> None:
    lines = Lines()
    cube = [pto.WaitCrossCore(Pipe.M, 0, "intra_block", lines())]
    vector = [pto.WaitCrossCore(V, 1, "intra_block", lines())]
    program = pro_program({"x": ((4,), INT32)}, core("c", cube, "x", CoreKind.AIC), core("v", vector, "x"))
    with pytest.raises(MachineError) as caught:
        machine.run(program, {"x": np.zeros(4, np.int32)})
    message = caught.value.diagnostic.message()
    assert "AIC0" in message
    assert "AIV0.0" in message


def test_calls_wait_for_those_they_depend_on_and_run_side_by_side(machine: Machine) -> None:
    lines, place = Lines(), tile(0, (1, 8))
    row = window("x", (1, 8), (8, 1), mul(Symbol("row"), 8))
    body = [
        run(lines, "TLOAD", place, [row]),
        *handover(lines, MTE2, V),
        run(lines, "TADDS", place, [place, 1.0]),
        *handover(lines, V, MTE3),
        run(lines, "TSTORE", row, [place]),
    ]
    increment = core("increment", body, "x", scalars=["row"])
    first = pto.Call("increment", {"x": "x"}, {"row": Symbol("grid0")}, (), increment.origin, (4,))
    second = pto.Call("increment", {"x": "x"}, {"row": 2}, (0,), increment.origin)
    program = tensor_program(increment, {"x": ((4, 8), FP32)}, control=(pto.Tasks((first, second), increment.origin),))
    x = np.zeros((4, 8), np.float32)
    _, events = simulate(machine, program, {"x": x})
    assert x[:, 0].tolist() == [1, 1, 2, 1]
    assert hazards(events) == []
    starts = [event.cycle for event in events if isinstance(event, CallStarted)]
    assert starts[:4] == [0, 0, 0, 0]
    assert starts[4] > 0


def test_a_missing_dependency_between_calls_is_a_race(machine: Machine) -> None:
    lines, place = Lines(), tile(0, (1, 8))
    row = window("x", (1, 8), (8, 1))
    body = [run(lines, "TEXPANDS", place, [1.0]), *handover(lines, V, MTE3), run(lines, "TSTORE", row, [place])]
    fill = core("fill", body, "x")
    calls = tuple(pto.Call("fill", {"x": "x"}, {}, (), fill.origin) for _ in range(2))
    program = tensor_program(fill, {"x": ((1, 8), FP32)}, control=(pto.Tasks(calls, fill.origin),))
    _, events = simulate(machine, program, {"x": np.zeros((1, 8), np.float32)})
    assert hazards(events) == [("PT554", 4, [4])]


def test_waiting_is_told_once(machine: Machine) -> None:
    _, events = simulate(machine, vector_program(sound(Lines())), arrays())
    waits = [(event.pipe, event.statement.origin.span.line) for event in events if isinstance(event, Waiting)]
    assert waits == [(V, 3), (MTE3, 6)]


def _state(timeline: Timeline, data: dict[str, np.ndarray]) -> Any:
    memories = [
        {space: contents.copy() for space, contents in slot.memory.items() if contents.any()} for slot in timeline.slots
    ]
    parts = (timeline.agenda, timeline.pipes, timeline.fronts, timeline.tokens)
    return (
        {name: array.copy() for name, array in data.items()},
        memories,
        [dict(part) for part in parts],
        timeline.cycle,
    )


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray):
        return bool(np.array_equal(left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def test_every_event_can_be_undone_and_done_again(machine: Machine) -> None:
    data = arrays()
    timeline = machine.simulate(vector_program(sound(Lines())), data)
    states = [_state(timeline, data)]
    while timeline.step():
        states.append(_state(timeline, data))
    for expected in reversed(states[1:-1]):
        assert timeline.step_back()
        before, after = _state(timeline, data), expected
        assert before[3] == after[3]
        assert _same(before[0], after[0])
        assert _same(before[1], after[1])
        assert before[2][0] == after[2][0]
    timeline.run()
    assert np.array_equal(data["y"], data["x"] * 2)


def test_the_history_is_bounded(machine: Machine) -> None:
    timeline = machine.simulate(vector_program(sound(Lines())), arrays(), undo_limit=3)
    timeline.run()
    assert [timeline.step_back() for _ in range(4)] == [True, True, True, False]


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_seed_makes_a_run_repeatable(machine: Machine, seed: int) -> None:
    program = vector_program(sound(Lines()))
    first = simulate(machine, program, arrays(), seed=seed)[1]
    second = simulate(machine, program, arrays(), seed=seed)[1]
    assert first == second


def test_symbols_of_a_launch_and_barriers_over_all_cores(machine: Machine) -> None:
    lines, here = Lines(), Symbol("block_idx")
    cells = window("x", (8,), (1,), 0, INT32)
    body = [
        pto.WriteElement(cells, (here,), add(here, 1), lines()),
        pto.SyncAll("AIV", lines()),
        pto.ReadElement("first", cells, (0,), lines()),
        pto.WriteElement(cells, (add(here, 4),), add(Symbol("first"), here), lines()),
    ]
    x = np.zeros(8, np.int32)
    program = pro_program({"x": ((8,), INT32)}, vector=core("v", body, "x"))
    _, events = simulate(machine, program, {"x": x}, block_num=4)
    assert x.tolist() == [1, 2, 3, 4, 1, 2, 3, 4]
    assert hazards(events) == []
