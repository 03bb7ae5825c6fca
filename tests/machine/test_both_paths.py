"""Plain runs and the logged path give the same bits for any correctly synchronised program."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import Lines, core, handover, run, tensor_program, tile, window
from ptoscope_compiler import targets
from ptoscope_compiler.dtype import BF16, FP16, FP32, DType
from ptoscope_compiler.hardware import CoreKind, Layout, MemorySpace, Pipe
from ptoscope_compiler.pto import program as pto
from ptoscope_compiler.scalar import Symbol, add, apply, mul
from ptoscope_simulator.machine.events import HazardFound
from ptoscope_simulator.machine.machine import Machine
from ptoscope_simulator.numerics import numpy_dtype

ROWS, COLUMNS, PLACES, BLOCKS = 4, 16, 3, 4
MACHINE = Machine(targets.load("a2a3"))

places = st.integers(0, PLACES - 1)
operation = st.one_of(
    st.tuples(st.sampled_from(["TADD", "TMUL", "TMAX", "TSUB"]), places, places, places),
    st.tuples(st.sampled_from(["TADDS", "TMULS"]), places, places, st.sampled_from([0.5, -2.0, 3.25])),
    st.tuples(st.sampled_from(["TEXP", "TRELU"]), places, places),
    st.tuples(st.sampled_from(["TCOLEXPANDMUL", "TROWEXPANDADD", "TROWEXPANDDIV"]), places, places, places),
    st.tuples(st.just("cast"), places, places, st.sampled_from(["half", "brain"])),
    st.tuples(st.just("load"), places),
    st.tuples(st.just("store"), places),
)
bodies = st.recursive(
    st.lists(operation, min_size=1, max_size=5),
    lambda inner: st.lists(
        st.one_of(operation, st.tuples(st.just("loop"), inner), st.tuples(st.just("if"), inner)), max_size=4
    ),
    max_leaves=4,
)


class _Builder:
    """Turns a random description into statements; each instruction hands over to the next pipe or drains."""

    def __init__(self, use_flags: bool) -> None:
        self.lines = Lines()
        self.use_flags = use_flags
        self.tiles = [tile(2048 * place, (ROWS, COLUMNS)) for place in range(PLACES)]
        self.narrow = {
            "half": tile(2048 * PLACES, (ROWS, COLUMNS), FP16),
            "brain": tile(2048 * PLACES, (ROWS, COLUMNS), BF16),
        }
        self.depth = 0

    def _window(self, name: str) -> Any:
        row = Symbol("block")
        for level in range(self.depth):
            row = apply("mod", add(row, Symbol(f"i{level}")), BLOCKS)
        return window(name, (ROWS, COLUMNS), (COLUMNS, 1), mul(row, ROWS * COLUMNS) if name == "x" else self._own())

    def _own(self) -> Any:
        return mul(Symbol("block"), ROWS * COLUMNS)

    def statements(self, description: list[Any]) -> list[Any]:
        made: list[Any] = []
        for kind, *rest in description:
            if kind == "loop":
                self.depth += 1
                inner = self.statements(rest[0])
                self.depth -= 1
                made.append(pto.For(f"i{self.depth}", 0, 2, 1, tuple(inner), self.lines()))
            elif kind == "if":
                made.append(pto.If(Symbol("block"), tuple(self.statements(rest[0])), (), self.lines()))
            else:
                for instruction in self._instructions(kind, rest):
                    made.append(instruction)
                    made.extend(self._ordered(instruction.pipe))
        return made

    def _ordered(self, pipe: Pipe) -> list[Any]:
        if not self.use_flags:
            return [pto.Barrier(Pipe.ALL, self.lines())]
        others = [other for other in (Pipe.MTE2, Pipe.V, Pipe.MTE3) if other is not pipe]
        return [flag for other in others for flag in handover(self.lines, pipe, other)]

    def _instructions(self, kind: str, rest: list[Any]) -> list[pto.Instruction]:
        if kind == "load":
            return [run(self.lines, "TLOAD", self.tiles[rest[0]], [self._window("x")])]
        if kind == "store":
            return [run(self.lines, "TSTORE", self._window("y"), [self.tiles[rest[0]]])]
        target = self.tiles[rest[0]]
        if kind == "cast":
            narrow = self.narrow[rest[2]]
            return [
                run(self.lines, "TCVT", narrow, [self.tiles[rest[1]]]),
                run(self.lines, "TCVT", target, [narrow]),
            ]
        if "EXPAND" in kind:
            line = tile(2048 * rest[2], (1, COLUMNS) if "COL" in kind else (ROWS, 1))
            return [run(self.lines, kind, target, [self.tiles[rest[1]], line])]
        operands = [self.tiles[value] if isinstance(value, int) else value for value in rest[1:]]
        return [run(self.lines, kind, target, operands)]


@settings(max_examples=60, deadline=None)
@given(bodies, st.booleans(), st.integers(0, 3))
def test_same_bits(description: list[Any], use_flags: bool, seed: int) -> None:
    builder = _Builder(use_flags)
    body = builder.statements([*(("load", place) for place in range(PLACES)), *description, ("store", 0)])
    program = tensor_program(
        core("k", body, "xy", scalars=["block"]),
        dict.fromkeys("xy", ((BLOCKS * ROWS, COLUMNS), FP32)),
        {"block": Symbol("grid0")},
        (BLOCKS,),
    )
    x = np.random.default_rng(0).standard_normal((BLOCKS * ROWS, COLUMNS)).astype(np.float32)
    plain, logged = {"x": x, "y": np.zeros_like(x)}, {"x": x.copy(), "y": np.zeros_like(x)}
    MACHINE.run(program, plain)
    found: list[Any] = []
    timeline = MACHINE.simulate(program, logged, seed=seed, observers=[found.append])
    timeline.run()
    assert plain["y"].tobytes() == logged["y"].tobytes()
    assert not [event.diagnostic.message() for event in found if isinstance(event, HazardFound)]


def _rows_by_block(place: Any) -> pto.PtoProgram:
    """y = max(2x, x), four rows per call, fewer in the last one; the tile of a call lies `place` bytes on."""
    lines, rows, address = Lines(), Symbol("rows"), Symbol("address")
    part, doubled = (tile(start, (4, 8), valid=(rows, 8)) for start in (address, add(address, 4096)))
    x, y = (window(name, (rows, 8), (8, 1), Symbol("offset")) for name in "xy")
    body = [
        run(lines, "TLOAD", part, [x]),
        *handover(lines, Pipe.MTE2, Pipe.V),
        run(lines, "TADD", doubled, [part, part]),
        run(lines, "TMAX", doubled, [doubled, part]),
        *handover(lines, Pipe.V, Pipe.MTE3),
        run(lines, "TSTORE", y, [doubled]),
    ]
    program = core("double", body, "xy", scalars=("rows", "address", "offset"))
    block, extent = Symbol("grid0"), Symbol("x.shape[0]")
    left = add(extent, mul(block, -4))
    scalars = {"rows": apply("min", left, 4), "address": mul(block, place), "offset": mul(block, 32)}
    parameters = dict.fromkeys("xy", ((extent, 8), FP32))
    return tensor_program(program, parameters, scalars, (5,))


@given(st.lists(st.integers(17, 20), min_size=1, max_size=4), st.sampled_from([0, 128]))
@settings(max_examples=20, deadline=None)
def test_extents_and_addresses_may_change_from_call_to_call_and_run_to_run(extents: list[int], place: int) -> None:
    program = _rows_by_block(place)
    for extent in extents:
        x = np.random.default_rng(extent).standard_normal((extent, 8)).astype(np.float32)
        plain, logged = np.zeros_like(x), np.zeros_like(x)
        MACHINE.run(program, {"x": x, "y": plain})
        MACHINE.simulate(program, {"x": x, "y": logged}).run()
        assert plain.tobytes() == logged.tobytes()
        assert (plain == np.maximum(2 * x, x)).all()


@given(st.integers(1, 40), st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_extents_and_addresses_may_change_within_a_loop(extent: int, places: int) -> None:
    lines, turn, rows = Lines(), Symbol("turn"), Symbol("x.shape[0]")
    left = apply("min", add(rows, mul(turn, -4)), 4)
    part = tile(mul(apply("mod", turn, places), 128), (4, 8), valid=(left, 8))
    x, y = (window(name, (left, 8), (8, 1), mul(turn, 32)) for name in "xy")
    body = [
        run(lines, "TLOAD", part, [x]),
        *handover(lines, Pipe.MTE2, Pipe.V),
        run(lines, "TADDS", part, [part, turn]),
        *handover(lines, Pipe.V, Pipe.MTE3),
        run(lines, "TSTORE", y, [part]),
        *handover(lines, Pipe.MTE3, Pipe.MTE2),
    ]
    turns = apply("floordiv", add(rows, 3), 4)
    loop = pto.For("turn", 0, turns, 1, tuple(body), lines())
    parameters = dict.fromkeys("xy", ((rows, 8), FP32))
    program = tensor_program(core("k", [loop], "xy"), parameters)
    values = np.random.default_rng(extent).standard_normal((extent, 8)).astype(np.float32)
    plain, logged = np.zeros_like(values), np.zeros_like(values)
    for _ in range(2):
        MACHINE.run(program, {"x": values, "y": plain})
        MACHINE.simulate(program, {"x": values, "y": logged}).run()
        assert plain.tobytes() == logged.tobytes()
        assert (plain == values + (np.arange(extent)[:, None] // 4).astype(np.float32)).all()


_LAYOUTS = st.sampled_from([Layout.ND, Layout.DN, Layout.NZ, Layout.ZN, Layout.ZZ, Layout.NN])


@given(_LAYOUTS, _LAYOUTS, st.sampled_from([FP32, FP16, BF16]), st.tuples(*[st.sampled_from([0, 8, 16, 32])] * 2))
@settings(max_examples=60, deadline=None)
def test_windows_of_tiles_in_any_layout(source: Layout, target: Layout, dtype: DType, corner: tuple[int, int]) -> None:
    lines, (row, column) = Lines(), corner
    whole = tile(0, (64, 64), dtype, MemorySpace.L1, layout=source)
    part = tile(32768, (32, 32), dtype, MemorySpace.L1, layout=target)
    body = [
        run(lines, "TLOAD", whole, [window("x", (64, 64), (64, 1), dtype=dtype)]),
        *handover(lines, Pipe.MTE2, Pipe.MTE1),
        run(lines, "TEXTRACT", part, [whole], index_row=row, index_col=column),
        *handover(lines, Pipe.MTE1, Pipe.MTE3),
        run(lines, "TSTORE", window("y", (32, 32), (32, 1), dtype=dtype), [part]),
    ]
    parameters = {"x": ((64, 64), dtype), "y": ((32, 32), dtype)}
    program = tensor_program(core("take", body, "xy", kind=CoreKind.AIC), parameters)
    x = np.random.default_rng(0).integers(-256, 256, (64, 64)).astype(numpy_dtype(dtype))
    plain, logged = np.zeros((32, 32), x.dtype), np.zeros((32, 32), x.dtype)
    MACHINE.run(program, {"x": x, "y": plain})
    MACHINE.simulate(program, {"x": x, "y": logged}).run()
    assert plain.tobytes() == logged.tobytes() == x[row : row + 32, column : column + 32].tobytes()
