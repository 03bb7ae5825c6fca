"""What cannot run says why in one clear message, with exit code 2 and without a traceback."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from conftest import Ptoscope

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="scripts run with torch only")


def refuses(ptoscope: Ptoscope, *arguments: object, saying: str) -> None:
    done = ptoscope(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert saying in done.stderr, done.stderr


@pytest.mark.parametrize("command", ["check", "ir", "precision", "run"])
def test_missing_file(ptoscope: Ptoscope, command: str) -> None:
    refuses(ptoscope, command, "nowhere.py", saying="nowhere.py")


@pytest.mark.parametrize("command", ["ir", "precision"])
def test_unknown_kernel(ptoscope: Ptoscope, kernels: Path, command: str) -> None:
    seed = ["--seed", "0"] if command == "precision" else []
    refuses(ptoscope, command, f"{kernels}::triple", *seed, saying="no kernel 'triple'; this file has double, endless")


def test_several_kernels_and_none_named(ptoscope: Ptoscope, kernels: Path) -> None:
    refuses(ptoscope, "ir", kernels, saying="name one as FILE::KERNEL: double, endless")


@pytest.mark.parametrize("command", ["check", "ir", "precision"])
def test_not_a_pypto_file(ptoscope: Ptoscope, tmp_path: Path, command: str) -> None:
    path = tmp_path / "plain.py"
    path.write_text("print('hello')\n")
    seed = ["--seed", "0"] if command == "precision" else []
    refuses(ptoscope, command, path, *seed, saying="PyPTO")


def test_check_reports_what_it_can_around_a_syntax_error(ptoscope: Ptoscope, kernels: Path) -> None:
    kernels.write_text(kernels.read_text() + "\n\ndef broken(:\n    pass\n")
    done = ptoscope("check", kernels)
    assert done.returncode == 1
    assert "PT600" in done.stdout and f"{kernels.name}:" in done.stdout


@pytest.mark.parametrize("command", ["run", "precision", "ir"])
def test_syntax_error(ptoscope: Ptoscope, kernels: Path, command: str) -> None:
    kernels.write_text(kernels.read_text() + "\n\ndef broken(:\n    pass\n")
    refuses(ptoscope, command, kernels, saying="syntax error")


@pytest.mark.parametrize(
    ("golden", "saying"),
    [
        ({"z": np.zeros((32, 64), np.float32)}, "'z' is no output of the kernel; its outputs are y"),
        ({"y": np.zeros((32, 32), np.float32)}, "'y' has shape [32, 32], the output has [32, 64]"),
        ({"y": np.zeros((32, 64), np.int32)}, "'y' has type int32, the output has DT_FP32"),
    ],
    ids=["name", "shape", "dtype"],
)
def test_golden_that_does_not_fit(
    ptoscope: Ptoscope, kernels: Path, tmp_path: Path, golden: dict[str, np.ndarray], saying: str
) -> None:
    np.savez(tmp_path / "golden.npz", **golden)
    refuses(ptoscope, "precision", f"{kernels}::double", "--seed", "0", "--golden", "golden.npz", saying=saying)


@pytest.mark.parametrize("option", ["--golden", "--inputs"])
def test_corrupt_npz(ptoscope: Ptoscope, kernels: Path, tmp_path: Path, option: str) -> None:
    (tmp_path / "corrupt.npz").write_bytes(b"PK\x03\x04 this is no archive")
    refuses(
        ptoscope,
        "precision",
        f"{kernels}::double",
        "--seed",
        "0",
        option,
        "corrupt.npz",
        saying="not a readable npz file",
    )


def test_input_that_does_not_fit(ptoscope: Ptoscope, kernels: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "inputs.npz", x=np.zeros((8, 8), np.float32))
    done = ptoscope("precision", f"{kernels}::double", "--inputs", "inputs.npz")
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_golden_function_that_raises(ptoscope: Ptoscope, kernels: Path, tmp_path: Path) -> None:
    (tmp_path / "reference.py").write_text("def golden(x):\n    raise ValueError('no reference yet')\n")
    refuses(
        ptoscope,
        "precision",
        f"{kernels}::double",
        "--seed",
        "0",
        "--golden",
        "reference:golden",
        saying="reference:golden raised ValueError: no reference yet",
    )


@pytest.mark.parametrize("command", ["check", "ir", "precision", "run"])
def test_unknown_target(ptoscope: Ptoscope, kernels: Path, command: str) -> None:
    refuses(ptoscope, command, kernels, "--target", "b100", saying="b100") if command != "run" else refuses(
        ptoscope, command, "--target", "b100", kernels, saying="b100"
    )


@pytest.mark.parametrize("command", ["ir", "precision"])
def test_endless_kernel(ptoscope: Ptoscope, kernels: Path, command: str) -> None:
    seed = ["--seed", "0"] if command == "precision" else []
    refuses(ptoscope, command, f"{kernels}::endless", *seed, saying="PT901")


@needs_torch
def test_script_that_raises(ptoscope: Ptoscope, tmp_path: Path) -> None:
    script = tmp_path / "raises.py"
    script.write_text("import torch\n\n\ndef main():\n    raise ValueError('no data')\n\n\nmain()\n")
    done = ptoscope("run", script)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"ptoscope: {script} raised ValueError at {script}:5: no data"
    assert "ptoscope_simulator" not in done.stderr


@needs_torch
def test_script_whose_kernel_is_wrong(ptoscope: Ptoscope, kernels: Path) -> None:
    call = "\nimport torch\n\ndouble(torch.zeros(32, 64), torch.zeros(32, 64))\n"
    kernels.write_text(kernels.read_text().replace("x * 2.0", "pypto.expp(x)") + call)
    done = ptoscope("run", kernels)
    assert done.returncode == 2
    assert "PT601" in done.stderr and "Traceback" not in done.stderr


@needs_torch
def test_script_that_never_calls_the_kernel(ptoscope: Ptoscope, kernels: Path) -> None:
    refuses(ptoscope, "precision", f"{kernels}::double", saying="without a call of kernel 'double'")


def test_torch_absent(monkeypatch: pytest.MonkeyPatch, kernels: Path) -> None:
    from ptoscope.main import app
    from typer.testing import CliRunner

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for command in ("run", "pytest"):
        done = CliRunner().invoke(app, [command, str(kernels)])
        assert done.exit_code == 2
        assert "needs torch" in done.output or "need torch" in done.output
