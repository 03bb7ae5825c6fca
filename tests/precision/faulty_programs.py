"""Ten kernels with a precision fault and their sound twins, as PTO programs by hand.

Each is a function of `faulty` that returns a `Case`; the line at fault is the one marked by `Lines.mark`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from programs import Lines, core, pro_program, run, tensor_program, tile, window
from ptoscope_compiler.dtype import BF16, FP16, FP32, INT8, INT32, DType
from ptoscope_compiler.hardware import CoreKind, Layout, MemorySpace, Pipe
from ptoscope_compiler.pto import program as pto
from ptoscope_compiler.pto.operands import Tile
from ptoscope_compiler.scalar import Symbol, mul, sub
from ptoscope_simulator.numerics import numpy_dtype


class Marked(Lines):
    """Lines of which one is the line at fault."""

    def __init__(self) -> None:
        super().__init__()
        self.marked = 0

    def mark(self) -> Marked:
        """The next line is the one."""
        self.marked = -1
        return self

    def __call__(self):
        origin = super().__call__()
        if self.marked == -1:
            self.marked = origin.span.line
        return origin


@dataclass
class Case:
    program: pto.PtoProgram
    arrays: dict[str, np.ndarray]
    golden: dict[str, np.ndarray]
    line: int
    chain_only: bool = False


CASES: dict[str, Callable[[bool], Case]] = {}


def case(function: Callable[[bool], Case]) -> Callable[[bool], Case]:
    CASES[function.__name__] = function
    return function


@dataclass
class Kernel:
    """One vector core program from `x` (and `w`) to `y`, all of the tiles dense at fixed addresses."""

    shape: tuple[int, int]
    output: tuple[int, int]
    dtype: DType = FP32
    result: DType = FP32
    lines: Marked = field(default_factory=Marked)
    body: list[Any] = field(default_factory=list)
    _next: int = 0

    def tile(self, shape: tuple[int, int] | None = None, dtype: DType = FP32, **fields: Any) -> Tile:
        made = tile(self._next, shape or self.shape, dtype, **fields)
        self._next += -(-made.type.bytes // 32) * 32
        return made

    def do(self, opcode: str, output: Tile, *inputs: Any, fault: bool = False, **attributes: Any) -> Tile:
        self.body.append(run(self.lines.mark() if fault else self.lines, opcode, output, inputs, **attributes))
        return output

    def load(self, name: str = "x", shape: tuple[int, int] | None = None, dtype: DType | None = None) -> Tile:
        extent, kind = shape or self.shape, dtype or self.dtype
        return self.do("TLOAD", self.tile(extent, kind), window(name, extent, (extent[1], 1), 0, kind))

    def store(self, result: Tile, fault: bool = False) -> None:
        target = window("y", self.output, (self.output[1], 1), 0, self.result)
        lines = self.lines.mark() if fault else self.lines
        self.body.append(run(lines, "TSTORE", target, [result]))

    def case(self, golden: np.ndarray, chain_only: bool = False, **arrays: np.ndarray) -> Case:
        inputs = {name: (array.shape, _dtype_of(array)) for name, array in arrays.items()}
        parameters = {**inputs, "y": (self.output, self.result)}
        program = tensor_program(core("kernel", self.body, parameters), parameters)
        empty = np.zeros(self.output, numpy_dtype(self.result))
        return Case(program, {**arrays, "y": empty}, {"y": golden}, self.lines.marked, chain_only)


def _dtype_of(array: np.ndarray) -> DType:
    return {numpy_dtype(dtype): dtype for dtype in (FP32, FP16, BF16, INT8, INT32)}[array.dtype]


def _normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@case
def overflow_in_exp(faulty: bool) -> Case:
    """Softmax without the maximum: exp overflows where the logits are large."""
    kernel = Kernel((8, 64), (8, 64))
    x = kernel.load()
    if not faulty:
        top = kernel.do("TROWMAX", kernel.tile((8, 8), valid=(8, 1)), x)
        x = kernel.do("TROWEXPANDSUB", kernel.tile(), x, top)
    powers = kernel.do("TEXP", kernel.tile(), x, fault=True)
    total = kernel.do("TROWSUM", kernel.tile((8, 8), valid=(8, 1)), powers)
    kernel.store(kernel.do("TROWEXPANDDIV", kernel.tile(), powers, total))
    values = (_normal(8, 64) * 40).astype(np.float32)
    return kernel.case(_softmax(values.astype(np.float64)), x=values)


@case
def wrong_axis(faulty: bool) -> Case:
    """Each element over the sum of its column, where the row was meant."""
    kernel = Kernel((32, 32), (32, 32))
    x = kernel.load()
    if faulty:
        total = kernel.do("TCOLSUM", kernel.tile((1, 32)), x, fault=True)
        kernel.store(kernel.do("TCOLEXPANDDIV", kernel.tile(), x, total))
    else:
        total = kernel.do("TROWSUM", kernel.tile((32, 8), valid=(32, 1)), x)
        kernel.store(kernel.do("TROWEXPANDDIV", kernel.tile(), x, total))
    values = (np.abs(_normal(32, 32)) + 0.5).astype(np.float32)
    wide = values.astype(np.float64)
    return kernel.case(wide / wide.sum(axis=1, keepdims=True), chain_only=True, x=values)


def _running_sum(dtype: DType, values: np.ndarray, faulty: bool, result: DType) -> Case:
    """Adds the rows of `x` one after another, in `dtype` where faulty, else in FP32."""
    rows, columns = values.shape
    kernel = Kernel((1, columns), (1, columns), dtype, result)
    working = dtype if faulty else FP32
    total = kernel.do("TEXPANDS", kernel.tile((1, columns), working), 0.0)
    row, wide = kernel.tile((1, columns), dtype), kernel.tile((1, columns), FP32)
    place = window("x", (1, columns), (columns, 1), mul(Symbol("i"), columns), dtype)
    body = [run(kernel.lines, "TLOAD", row, [place])]
    if not faulty:
        body.append(run(kernel.lines, "TCVT", wide, [row]))
    body.append(run(kernel.lines.mark(), "TADD", total, [total, row if faulty else wide]))
    kernel.body.append(pto.For("i", 0, rows, 1, tuple(body), kernel.lines()))
    if working is not result:
        total = kernel.do("TCVT", kernel.tile((1, columns), result), total)
    kernel.store(total)
    return kernel.case(values.astype(np.float64).sum(axis=0, keepdims=True), x=values)


@case
def accumulation_in_fp16(faulty: bool) -> Case:
    """Sums in FP16 what is returned as FP32."""
    values = (np.abs(_normal(256, 64)) * 0.5).astype(np.float16)
    return _running_sum(FP16, values, faulty, FP32)


@case
def accumulation_in_bf16(faulty: bool) -> Case:
    """A running sum in BF16 stops growing."""
    values = np.full((1024, 32), 0.75).astype(numpy_dtype(BF16))
    return _running_sum(BF16, values, faulty, BF16)


@case
def stale_tail(faulty: bool) -> Case:
    """The last block has fewer rows, but the reduction covers the whole tile."""
    kernel = Kernel((4, 32), (3, 32))
    rows = Symbol("rows")
    filled = kernel.tile((4, 32), valid=(rows, 32))
    reduced = Tile(filled.type, filled.address, (4, 32)) if faulty else filled
    total = kernel.tile((1, 32))
    step = Symbol("i")
    body = (
        pto.Assign("rows", _minimum(4, sub(10, mul(step, 4))), kernel.lines()),
        run(kernel.lines, "TLOAD", filled, [window("x", (rows, 32), (32, 1), mul(step, 128))]),
        run(kernel.lines.mark(), "TCOLSUM", total, [reduced]),
        run(kernel.lines, "TSTORE", window("y", (1, 32), (32, 1), mul(step, 32)), [total]),
    )
    kernel.body.append(pto.For("i", 0, 3, 1, body, kernel.lines()))
    values = _normal(10, 32).astype(np.float32)
    wide = values.astype(np.float64)
    return kernel.case(np.stack([wide[:4].sum(0), wide[4:8].sum(0), wide[8:].sum(0)]), x=values)


def _minimum(left: Any, right: Any) -> Any:
    from ptoscope_compiler.scalar import minimum

    return minimum(left, right)


@case
def missing_cast(faulty: bool) -> Case:
    """Squares in BF16 what should be widened first."""
    kernel = Kernel((16, 64), (16, 64), BF16)
    x = kernel.load()
    if faulty:
        square = kernel.do("TMUL", kernel.tile(dtype=BF16), x, x, fault=True)
        wide = kernel.do("TCVT", kernel.tile(), square)
    else:
        widened = kernel.do("TCVT", kernel.tile(), x)
        wide = kernel.do("TMUL", kernel.tile(), widened, widened)
    kernel.store(wide)
    values = _normal(16, 64).astype(numpy_dtype(BF16))
    return kernel.case(np.square(values.astype(np.float64)), x=values)


@case
def wrong_broadcast(faulty: bool) -> Case:
    """A bias per row, added per column."""
    kernel = Kernel((32, 32), (32, 32))
    x = kernel.load()
    bias = kernel.load("w", (1, 32)) if faulty else kernel.load("w", (32, 1))
    kernel.store(kernel.do("TCOLEXPANDADD" if faulty else "TROWEXPANDADD", kernel.tile(), x, bias, fault=True))
    values, weights = _normal(32, 32).astype(np.float32), _normal(32, 1, seed=1).astype(np.float32)
    shaped = weights.reshape(1, 32) if faulty else weights
    return kernel.case(values.astype(np.float64) + weights.astype(np.float64), chain_only=True, x=values, w=shaped)


@case
def cancellation_in_variance(faulty: bool) -> Case:
    """Variance as the mean of squares less the square of the mean."""
    kernel = Kernel((8, 64), (8, 8))
    column = {"valid": (8, 1)}
    x = kernel.load()
    total = kernel.do("TROWSUM", kernel.tile((8, 8), **column), x)
    mean = kernel.do("TMULS", kernel.tile((8, 8), **column), total, 1 / 64)
    if faulty:
        square = kernel.do("TMUL", kernel.tile(), x, x)
        sum_of_squares = kernel.do("TROWSUM", kernel.tile((8, 8), **column), square)
        mean_square = kernel.do("TMULS", kernel.tile((8, 8), **column), sum_of_squares, 1 / 64)
        squared_mean = kernel.do("TMUL", kernel.tile((8, 8), **column), mean, mean)
        variance = kernel.do("TSUB", kernel.tile((8, 8), **column), mean_square, squared_mean, fault=True)
    else:
        centred = kernel.do("TROWEXPANDSUB", kernel.tile(), x, mean)
        square = kernel.do("TMUL", kernel.tile(), centred, centred)
        sum_of_squares = kernel.do("TROWSUM", kernel.tile((8, 8), **column), square)
        variance = kernel.do("TMULS", kernel.tile((8, 8), **column), sum_of_squares, 1 / 64)
    kernel.output = (8, 1)
    kernel.store(variance)
    values = (_normal(8, 64) + 1000).astype(np.float32)
    return kernel.case(values.astype(np.float64).var(axis=1, keepdims=True), x=values)


@case
def saturation_of_int8(faulty: bool) -> Case:
    """Quantises without the scale: what exceeds 127 saturates."""
    kernel = Kernel((8, 64), (8, 64), FP32, INT8)
    x = kernel.load()
    if not faulty:
        x = kernel.do("TMULS", kernel.tile(), x, 0.25)
    half = kernel.do("TCVT", kernel.tile(dtype=FP16), x)
    kernel.store(kernel.do("TCVT", kernel.tile(dtype=INT8), half, fault=True, round="CAST_RINT", saturate=True))
    values = (np.round(_normal(8, 64) * 100) * 4).clip(-500, 500).astype(np.float32)
    return kernel.case(np.rint(values * (1.0 if faulty else 0.25)).astype(np.int64), x=values)


@case
def missing_epsilon(faulty: bool) -> Case:
    """The inverse root of a mean square that underflows to zero."""
    kernel = Kernel((8, 64), (8, 64))
    column = {"valid": (8, 1)}
    x = kernel.load()
    square = kernel.do("TMUL", kernel.tile(), x, x)
    total = kernel.do("TROWSUM", kernel.tile((8, 8), **column), square)
    if not faulty:
        total = kernel.do("TADDS", kernel.tile((8, 8), **column), total, 1e-6)
    scale = kernel.do("TRSQRT", kernel.tile((8, 8), **column), total, fault=True)
    kernel.store(kernel.do("TROWEXPANDMUL", kernel.tile(), x, scale))
    values = (_normal(8, 64) * 1e-26).astype(np.float32)
    wide = values.astype(np.float64)
    return kernel.case(wide / np.sqrt(np.square(wide).sum(1, keepdims=True) + (0 if faulty else 1e-6)), x=values)


@case
def transposed_operand(faulty: bool) -> Case:
    """A matrix product with its second operand the wrong way round."""
    lines, extent = Marked(), 32
    shape = (extent, extent)
    l1_a = tile(0, shape, FP16, MemorySpace.L1, layout=Layout.NZ)
    l1_b = tile(4096, shape, FP16, MemorySpace.L1, layout=Layout.NZ)
    left = tile(0, shape, FP16, MemorySpace.L0A, layout=Layout.ZZ)
    right = tile(0, shape, FP16, MemorySpace.L0B, layout=Layout.ZN)
    acc = tile(0, shape, FP32, MemorySpace.L0C, layout=Layout.NZ, fractal=1024)
    attributes = {"transpose": True} if faulty else {}
    body = [
        run(lines, "TLOAD", l1_a, [window("x", shape, (extent, 1), 0, FP16)]),
        run(lines, "TLOAD", l1_b, [window("w", shape, (extent, 1), 0, FP16)]),
        run(lines, "TMOV", left, [l1_a], Pipe.MTE1),
        run(lines.mark(), "TMOV", right, [l1_b], Pipe.MTE1, **attributes),
        run(lines, "TMATMUL", acc, [left, right]),
        run(lines, "TSTORE", window("y", shape, (extent, 1)), [acc], Pipe.FIX),
    ]
    parameters = {"x": (shape, FP16), "w": (shape, FP16), "y": (shape, FP32)}
    program = pro_program(parameters, cube=core("mm", body, parameters, CoreKind.AIC))
    x, w = (_normal(*shape, seed=seed).astype(np.float16) for seed in (3, 4))
    golden = x.astype(np.float64) @ w.astype(np.float64)
    arrays = {"x": x, "w": w, "y": np.zeros(shape, np.float32)}
    return Case(program, arrays, {"y": golden}, lines.marked, chain_only=True)
