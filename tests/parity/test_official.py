"""Our Tensor and Tile Graphs have the compute operations that the official compiler makes."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from ptoscope_compiler import targets
from ptoscope_compiler.analysis.host import Host, host
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.values import Unknown
from ptoscope_compiler.ir.official import Record, StageRecorder
from ptoscope_compiler.pipeline import run_kernel_passes
from ptoscope_compiler.query import Database
from ptoscope_compiler.tensor_mode.kernel import TensorModeKernel
from ptoscope_compiler.tensor_mode.trace import trace_kernel

FOLDER = Path(__file__).parent
OFFICIAL = json.loads((FOLDER / "official.json").read_text())
# How data moves between tiles differs from release to release of the official compiler.
MOVEMENTS = {"VIEW", "ASSEMBLE", "SLICE", "CONTRACT", "RESHAPE", "EXPAND", "REGISTER_COPY"}


@cache
def script() -> Host:
    found = host(Database(), str(FOLDER / "official_kernels.py"))
    assert found is not None
    return found


@cache
def compiled(name: str) -> Record:
    """The stages of the kernel `name` up to its Tile Graph."""
    target = targets.load("a2a3")
    kernel = next(kernel for kernel in script().kernels if kernel.name == name)
    assert isinstance(kernel, TensorModeKernel)
    arguments = [Unknown(parameter.arg) for parameter in kernel.function.node.args.args]
    interpreter = Interpreter(script().environment)
    trace = trace_kernel(kernel.function, arguments, target, interpreter, kernel.session, None, kernel.options)
    assert trace.kernel is not None, [str(diagnostic) for diagnostic in trace.diagnostics]
    recorder = StageRecorder(name)
    run_kernel_passes(trace.kernel, target, recorder.observe, until="ExpandFunction")
    return recorder.record()


def computations(record: Record, stage: str) -> Counter[tuple[str, tuple[int, ...], str]]:
    """How often each opcode has each shape and dtype of its first output."""
    return Counter(
        (operation["opcode"], tuple(operation["out"][0]["shape"]), operation["out"][0]["dtype"])
        for function in record["stages"][stage]
        for operation in function["ops"]
        if operation["opcode"] not in MOVEMENTS
    )


@pytest.mark.parametrize("stage", ["tensor", "tile"])
@pytest.mark.parametrize("name", OFFICIAL)
def test_has_the_official_computations(name: str, stage: str) -> None:
    official = Counter({(opcode, tuple(shape), dtype): count for opcode, shape, dtype, count in OFFICIAL[name][stage]})
    assert computations(compiled(name), stage) == official
