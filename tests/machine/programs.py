"""Small PTO programs by hand. Every statement gets a line of its own, in the order in which it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from ptoscope_compiler.dtype import FP32, DType
from ptoscope_compiler.hardware import CoreKind, Layout, MemorySpace, Pipe
from ptoscope_compiler.origin import Origin, Span
from ptoscope_compiler.pto import program as pto
from ptoscope_compiler.pto.operands import Tile, TileType, Window

_PIPES = {"TLOAD": Pipe.MTE2, "TSTORE": Pipe.MTE3, "TMATMUL": Pipe.M, "TMATMUL_ACC": Pipe.M, "TEXTRACT": Pipe.MTE1}


class Lines:
    """Hands out origins, one line after another of a file `kernel.py`."""

    def __init__(self) -> None:
        self._next = count(1)

    def __call__(self) -> Origin:
        line = next(self._next)
        return Origin(Span("kernel.py", line, 0, line, 80), "kernel")


def tile(
    address: Any,
    shape: tuple[int, ...],
    dtype: DType = FP32,
    space: MemorySpace = MemorySpace.UB,
    valid: tuple[Any, ...] | None = None,
    layout: Layout = Layout.ND,
    fractal: int = 512,
    name: str = "",
) -> Tile:
    return Tile(TileType(dtype, shape, space, layout, fractal), address, valid or shape, name)


def window(
    buffer: str, shape: tuple[Any, ...], strides: tuple[Any, ...], offset: Any = 0, dtype: DType = FP32
) -> Window:
    return Window(buffer, dtype, shape, strides, offset)


def run(
    lines: Lines, opcode: str, outputs: Any, inputs: Iterable[Any] = (), pipe: Pipe | None = None, **attributes: Any
) -> pto.Instruction:
    """An instruction; `outputs` may be one operand."""
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    chosen = pipe or _PIPES.get(opcode, Pipe.V)
    return pto.Instruction(opcode, chosen, outputs, tuple(inputs), lines(), attributes)


def set_flag(lines: Lines, source: Pipe, target: Pipe, event: Any = 0) -> pto.SetFlag:
    return pto.SetFlag(source, target, event, lines())


def wait_flag(lines: Lines, source: Pipe, target: Pipe, event: Any = 0) -> pto.WaitFlag:
    return pto.WaitFlag(source, target, event, lines())


def handover(lines: Lines, source: Pipe, target: Pipe, event: Any = 0) -> tuple[pto.SetFlag, pto.WaitFlag]:
    """A set and its wait."""
    return set_flag(lines, source, target, event), wait_flag(lines, source, target, event)


def core(
    name: str,
    body: Iterable[Any],
    buffers: Iterable[str] = (),
    kind: CoreKind = CoreKind.AIV,
    scalars: Iterable[str] = (),
) -> pto.CoreProgram:
    return pto.CoreProgram(name, kind, tuple(buffers), tuple(scalars), tuple(body), Lines()())


def tensor_program(
    core_program: pto.CoreProgram,
    parameters: Mapping[str, tuple[tuple[Any, ...], DType]],
    scalars: Mapping[str, Any] = {},
    grid: tuple[int, ...] = (),
    control: tuple[Any, ...] | None = None,
) -> pto.PtoProgram:
    """A Tensor-mode program of one call of `core_program`, or of a grid of calls, or of `control`."""
    origin = core_program.origin
    names = {name: name for name in parameters}
    call = pto.Call(core_program.name, names, scalars, (), origin, grid)
    return _program("tensor", [core_program], parameters, control or (pto.Tasks((call,), origin),))


def pro_program(
    parameters: Mapping[str, tuple[tuple[Any, ...], DType]],
    cube: pto.CoreProgram | None = None,
    vector: pto.CoreProgram | None = None,
) -> pto.PtoProgram:
    """A Pro-mode program: one launch."""
    cores = [program for program in (cube, vector) if program is not None]
    launch = pto.Launch(cube and cube.name, vector and vector.name, cores[0].origin)
    return _program("pro", cores, parameters, (launch,))


def _program(mode: str, cores: list[pto.CoreProgram], parameters: Any, control: tuple[Any, ...]) -> pto.PtoProgram:
    buffers = tuple(pto.Buffer(name, dtype, shape) for name, (shape, dtype) in parameters.items())
    by_name = {program.name: program for program in cores}
    return pto.PtoProgram("kernel", mode, "a2a3", buffers, (), (), by_name, control, cores[0].origin)
