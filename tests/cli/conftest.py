"""The command line as a user meets it: a process, its exit code, its two outputs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

KERNEL = """
import pypto


@pypto.frontend.jit
def double(
    x: pypto.Tensor([32, 64], pypto.DT_FP32),
    y: pypto.Tensor([32, 64], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(16, 64)
    y[:] = x * 2.0


@pypto.frontend.jit
def endless(
    x: pypto.Tensor([32, 64], pypto.DT_FP32),
    y: pypto.Tensor([32, 64], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(16, 64)
    n = 0
    while True:
        n = n + 1
    y[:] = x * n
"""

Ptoscope = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL, encoding="utf-8")
    return path


@pytest.fixture
def ptoscope(tmp_path: Path) -> Ptoscope:
    """Run `ptoscope ARGUMENTS` in an empty folder."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from ptoscope.main import main; main()", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)

    return run
