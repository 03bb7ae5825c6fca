"""The judge on Tensor-mode kernels, from source to verdict: seeded faults at their lines, and their sound twins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ptoscope_compiler import targets
from ptoscope_compiler.analysis.host import Host, host
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.values import Unknown
from ptoscope_compiler.ir.kernel import TensorKernel
from ptoscope_compiler.pipeline import compile_tensor_kernel
from ptoscope_compiler.query import Database
from ptoscope_compiler.tensor_mode.kernel import TensorModeKernel
from ptoscope_compiler.tensor_mode.trace import trace_kernel
from ptoscope_simulator.machine.machine import Machine
from ptoscope_simulator.precision.inputs import generate
from ptoscope_simulator.precision.judge import Request, judge
from ptoscope_simulator.precision.judgement import Cause, Judgement
from ptoscope_simulator.precision.verdict import Level

SOURCE = Path(__file__).with_name("tensor_kernels.py")
Arrays = Mapping[str, np.ndarray]
Meant = Callable[[Arrays], np.ndarray]


def _normalised(arrays: Arrays) -> np.ndarray:
    return arrays["x"] / arrays["x"].sum(axis=1, keepdims=True)


SCALES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "overflow_in_exp": lambda x: x * 60,
    "wrong_axis": lambda x: np.abs(x) + 0.5,
    "overflow_in_fp16": lambda x: x * 200,
    "cancellation_in_variance": lambda x: x + 1000,
    "saturation_of_int8": lambda x: (np.round(x * 100) * 4).clip(-500, 500),
    "missing_epsilon": lambda x: x * 1e-26,
}
MEANT: dict[str, Meant] = {
    "wrong_axis": _normalised,
    "stale_tail": lambda arrays: arrays["x"][:, :40].sum(axis=1, keepdims=True),
    "wrong_broadcast": lambda arrays: arrays["x"] + arrays["bias"][:, None],
    "transposed_operand": lambda arrays: arrays["a"] @ arrays["b"],
}
"""What the author meant, for faults that only a golden from outside can show."""
NAMES = (
    "overflow_in_exp", "wrong_axis", "product_in_fp16", "overflow_in_fp16", "stale_tail", "missing_cast",
    "wrong_broadcast", "cancellation_in_variance", "saturation_of_int8", "missing_epsilon", "transposed_operand",
)  # fmt: skip


@cache
def script() -> Host:
    found = host(Database(), str(SOURCE))
    assert found is not None
    return found


def traced(name: str) -> TensorKernel:
    kernel = next(kernel for kernel in script().kernels if kernel.name == name)
    assert isinstance(kernel, TensorModeKernel)
    arguments = [Unknown(parameter.arg) for parameter in kernel.function.node.args.args]
    interpreter = Interpreter(script().environment)
    target = targets.load("a2a3")
    trace = trace_kernel(kernel.function, arguments, target, interpreter, kernel.session, None, kernel.options)
    assert trace.kernel is not None, [diagnostic.message() for diagnostic in trace.diagnostics]
    return trace.kernel


def judged(name: str) -> Judgement:
    fault = name.removesuffix("_ok")
    kernel = traced(name)
    program = compile_tensor_kernel(kernel, targets.load("a2a3"))
    arrays = generate([(raw.name, raw.dtype, tuple(raw.shape)) for raw in kernel.parameters], seed=3)
    if fault in SCALES:
        arrays["x"] = SCALES[fault](arrays["x"].astype(np.float64)).astype(arrays["x"].dtype)
    golden: dict[str, Any] = {}
    if fault in MEANT:
        golden["golden"] = {"out": MEANT[fault]({name: array.astype(np.float64) for name, array in arrays.items()})}
        golden["golden_source"] = "meant"
    return judge(Request(Machine(targets.load("a2a3")), program, arrays, kernel=kernel, **golden))


def line_at_fault(name: str) -> int:
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(f"def {name}("))
    return next(index for index, line in enumerate(lines[start:], start + 1) if line.endswith("# FAULT"))


@pytest.mark.parametrize("name", NAMES)
def test_a_seeded_fault_fails_at_its_line(name: str) -> None:
    judgement = judged(name)
    assert judgement.level is Level.FAIL
    departure = judgement.departure
    assert departure is not None
    lines = [departure.origin.span.line]
    if departure.cause is Cause.CHAIN:
        lines += [link.origin.span.line for link in departure.chain]
    assert line_at_fault(name) in lines, departure


@pytest.mark.parametrize("name", NAMES)
def test_the_sound_twin_passes(name: str) -> None:
    judgement = judged(f"{name}_ok")
    assert judgement.level is Level.PASS, [output.verdict for output in judgement.outputs]
    assert judgement.departure is None


@pytest.mark.parametrize("name", ["wrong_axis", "wrong_broadcast", "transposed_operand"])
def test_the_operation_that_means_something_else_is_found_by_changing_it(name: str) -> None:
    departure = judged(name).departure
    assert departure is not None
    assert (departure.cause, departure.origin.span.line) == (Cause.OPERATION, line_at_fault(name))
