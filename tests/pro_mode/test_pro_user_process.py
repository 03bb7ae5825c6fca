"""Kernels of Pro mode launched from a user's script."""

import subprocess
import textwrap

import pytest
from ptoscope_simulator.standins.boot import Settings

pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch

SCRIPT = """
from dataclasses import dataclass

import pypto_pro.language as pl
import torch
import torch_npu

LANES = 64

@dataclass
class Tiling:
    rows: int
    scale: float
    offsets: "int[2]"

def make(dtype):
    @pl.jit
    def kernel(x: pl.Tensor[[pl.DYNAMIC, LANES], dtype], tiling: Tiling, y: pl.Tensor[[pl.DYNAMIC, LANES], dtype]):
        tile = pl.TileType(shape=[8, LANES], dtype=dtype)
        group = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[0, 1])
        with pl.section_vector():
            for i in pl.range(pl.get_block_idx(), tiling.rows // 8, pl.get_block_num()):
                current = group.next()
                pl.load_tile(current, x, [i, 0])
                pl.mul(current, current, tiling.scale)
                pl.add(current, current, tiling.offsets[1])
                pl.store_tile(y, current, [i, 0])
    return kernel

kernel = make(pl.DT_FP32)
stream = torch.npu.current_stream()
for rows, launch in ((8, kernel), (16, kernel[2]), (32, kernel[stream, 3])):
    x = torch.randn(rows, LANES, device="npu:0")
    y = torch.zeros(rows, LANES, device="npu:0")
    launch(x, Tiling(rows, 2.0, [7, 3]), y)
    torch.npu.synchronize()
    torch.testing.assert_close(y, x * 2 + 3)
"""


def run(script, path):
    path.write_text(textwrap.dedent(script), encoding="utf-8")
    command = Settings(target="950").command(str(path))
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_launch_forms_dynamic_axes_and_tiling_structures(tmp_path):
    done = run(SCRIPT, tmp_path / "script.py")
    assert done.returncode == 0, done.stderr


def test_a_finding_names_the_line_of_the_kernel(tmp_path):
    script = SCRIPT.replace("pl.mul(current, current, tiling.scale)", "pl.mull(current, current, tiling.scale)")
    done = run(script, tmp_path / "script.py")
    assert done.returncode == 2
    line = 1 + next(number for number, text in enumerate(script.splitlines()) if "pl.mull" in text)
    assert "PT601" in done.stderr and f"script.py:{line}:" in done.stderr


def test_a_wrong_launch_is_refused(tmp_path):
    for launch in ("kernel[0]", "kernel[True]"):
        done = run(SCRIPT + f"\n{launch}\n", tmp_path / "script.py")
        assert done.returncode == 2 and "block_dim must be a positive int" in done.stderr
