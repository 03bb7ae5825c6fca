"""What a script finds in its process: npu devices, the live `pypto`, launches that are checked and cached."""

from __future__ import annotations

import importlib.util
import subprocess
import textwrap
from pathlib import Path

import pytest
from ptoscope_simulator.standins.boot import Settings

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="scripts run with torch only")

HEAD = """
import pytest, torch, pypto
from ptoscope_simulator.standins.session import current

launches = []
current().on_launch.append(launches.append)

@pypto.frontend.jit
def add_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32), y: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32), n
):
    pypto.set_vec_tile_shapes(16, 64)
    for i in pypto.loop(x.shape[0] // 16):
        y[i * 16:, :] = x[i * 16:i * 16 + 16, :] + n

def tensors(rows=32, columns=64, dtype=torch.float32):
    x = torch.ones(rows, columns, dtype=dtype, device="npu:0")
    return x, torch.zeros_like(x)
"""


def run(body: str, folder: Path, settings: Settings | None = None) -> str:
    """Run a script in a user's process; its output."""
    script = folder / "script.py"
    script.write_text(HEAD + textwrap.dedent(body), encoding="utf-8")
    command = (settings or Settings()).command(str(script))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_npu_tensors_are_copies_that_know_their_device(tmp_path: Path) -> None:
    run(
        """
        host = torch.arange(4.0)
        there = host.npu()
        there += 1
        assert host.tolist() == [0, 1, 2, 3] and there.is_npu and not host.is_npu
        back = there.cpu()
        there += 1
        assert back.tolist() == [1, 2, 3, 4] and back.device.type == "cpu"
        assert (there * 2).device == torch.device("npu:0") == torch.zeros_like(there).device
        assert there.to(torch.float16).is_npu and torch.empty(2, device=there.device).is_npu
        assert torch.npu.is_available() and torch.npu.get_device_name().startswith("Ascend910")
        """,
        tmp_path,
    )


def test_the_target_names_the_device(tmp_path: Path) -> None:
    assert "Ascend950" in run("print(torch.npu.get_device_name())", tmp_path, Settings("950"))


def test_a_kernel_compiles_once_for_all_sizes_of_a_dynamic_axis(tmp_path: Path) -> None:
    run(
        """
        for rows in (32, 64, 32):
            x, y = tensors(rows)
            add_kernel(x, y, 2.0)
            assert torch.equal(y.cpu(), torch.full((rows, 64), 3.0))
        x, y = tensors()
        add_kernel(x, y, 5.0)
        assert torch.equal(y.cpu(), torch.full((32, 64), 6.0))
        assert [launch.compile_seconds > 0 for launch in launches] == [True, False, False, True]
        """,
        tmp_path,
    )


def test_launches_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    run(
        """
        x, y = tensors()
        with pytest.raises(ValueError, match="axis 1"):
            add_kernel(*tensors(columns=32), 1.0)
        with pytest.raises(ValueError, match="type DT_FP16"):
            add_kernel(*tensors(dtype=torch.float16), 1.0)
        with pytest.raises(RuntimeError, match="contiguous"):
            add_kernel(torch.ones(64, 64, device="npu").t()[:32], y, 1.0)
        with pytest.raises(RuntimeError, match="Missing required"):
            add_kernel(x, y)
        with pytest.raises(RuntimeError, match="Unknown keyword"):
            add_kernel(x, y, 1.0, axis=0)
        assert launches == []
        """,
        tmp_path,
    )


def test_options_hold_for_the_host_function_that_they_decorate(tmp_path: Path) -> None:
    run(
        """
        @pypto.options(pass_options={"enable_slice": True})
        def sliced():
            return pypto.get_pass_options()["enable_slice"]

        assert sliced() is True and "enable_slice" not in pypto.get_pass_options()
        with pypto.options(vec_tile_shapes=[8, 8]):
            assert pypto.get_vec_tile_shapes() == [8, 8]
        """,
        tmp_path,
    )


def test_names_of_pypto_are_the_compilers(tmp_path: Path) -> None:
    run(
        """
        assert pypto.RunMode.NPU == pypto.RunMode.NPU != pypto.RunMode.SIM
        assert {pypto.DT_FP16: 1}[pypto.DataType.DT_FP16] == 1
        from pypto.experimental import set_operation_options
        import pypto.frontend
        with pytest.raises(Exception, match="exp"):
            pypto.expp
        """,
        tmp_path,
    )
