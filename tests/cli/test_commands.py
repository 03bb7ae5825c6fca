"""The commands on sound input: outputs, formats, exit codes."""

from __future__ import annotations

import importlib.util
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from conftest import Ptoscope

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="scripts run with torch only")

CALL = """
import torch
import torch_npu  # noqa: F401

x = torch.randn(32, 64, device="npu:0")
y = torch.empty_like(x)
double(x, y)
torch.npu.synchronize()
torch.testing.assert_close(y, x * 2)
print(y.device)
"""


@needs_torch
def test_run_puts_the_results_into_the_callers_tensors(ptoscope: Ptoscope, kernels: Path) -> None:
    kernels.write_text(kernels.read_text() + CALL)
    done = ptoscope("run", kernels)
    assert (done.returncode, done.stdout.strip()) == (0, "npu:0"), done.stderr


@needs_torch
def test_run_gives_the_script_its_arguments_and_keeps_its_exit_code(ptoscope: Ptoscope, tmp_path: Path) -> None:
    script = tmp_path / "arguments.py"
    script.write_text("import sys\nprint(sys.argv[1:])\nsys.exit(3)\n")
    done = ptoscope("run", script, "--size", "4")
    assert (done.returncode, done.stdout.strip()) == (3, "['--size', '4']")


@needs_torch
def test_run_dumps_the_stages_of_each_kernel(ptoscope: Ptoscope, kernels: Path, tmp_path: Path) -> None:
    kernels.write_text(kernels.read_text() + CALL)
    assert ptoscope("run", "--dump-stages", "stages", kernels).returncode == 0
    (kernel,) = json.loads((tmp_path / "stages" / "kernels.json").read_text())["kernels"]
    opcodes = [operation["opcode"] for function in kernel["stages"]["tensor"] for operation in function["ops"]]
    assert kernel["kernel"] == "double" and "MULS" in opcodes


@needs_torch
def test_pytest_runs_a_suite(ptoscope: Ptoscope, kernels: Path, tmp_path: Path) -> None:
    body = CALL.replace("\n", "\n    ").replace("import torch_npu  # noqa: F401", "")
    (tmp_path / "test_double.py").write_text(
        f"from kernels import double\n\n\ndef test_double():\n    {body.strip()}\n"
    )
    done = ptoscope("pytest", "-q", "-p", "no:cacheprovider", "test_double.py")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


@needs_torch
def test_precision_judges_the_scripts_own_call(ptoscope: Ptoscope, kernels: Path) -> None:
    kernels.write_text(kernels.read_text() + CALL)
    done = ptoscope("precision", f"{kernels}::double")
    assert done.returncode == 0 and done.stdout.startswith("PASS  double"), done.stdout + done.stderr


def test_precision_against_golden_files_and_functions(ptoscope: Ptoscope, kernels: Path, tmp_path: Path) -> None:
    x = np.linspace(-1, 1, 32 * 64, dtype=np.float32).reshape(32, 64)
    np.savez(tmp_path / "inputs.npz", x=x, y=np.zeros_like(x))
    np.savez(tmp_path / "right.npz", y=x * 2)
    np.savez(tmp_path / "wrong.npz", y=x * 3)
    (tmp_path / "reference.py").write_text("def golden(x):\n    return x * 2\n")
    judge = ("precision", f"{kernels}::double", "--inputs", "inputs.npz", "--golden")
    assert ptoscope(*judge, "right.npz").returncode == 0
    assert ptoscope(*judge, "wrong.npz").returncode == 1
    assert ptoscope(*judge, "reference:golden").returncode == 0


def test_precision_reports(ptoscope: Ptoscope, kernels: Path, tmp_path: Path) -> None:
    judge = ("precision", f"{kernels}::double", "--seed", "0")
    (judgement,) = json.loads(ptoscope(*judge, "--format", "json").stdout)["judgements"]
    assert judgement["verdict"] == "PASS"
    assert ElementTree.fromstring(ptoscope(*judge, "--format", "junit").stdout).tag.startswith("testsuite")
    assert ptoscope(*judge, "--report", "report.html").returncode == 0
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html>") and "http" not in page.replace("http://www.w3.org", "")


@pytest.mark.parametrize(
    ("stage", "contains"),
    [("tensor", "MULS"), ("tile", "ASSEMBLE"), ("block", "COPY_OUT"), ("execute", "call "), ("pto", "tmuls")],
)
def test_ir_prints_each_stage(ptoscope: Ptoscope, kernels: Path, stage: str, contains: str) -> None:
    done = ptoscope("ir", f"{kernels}::double", "--stage", stage)
    assert done.returncode == 0 and contains in done.stdout, done.stdout + done.stderr


def test_ir_shows_what_a_pass_changed(ptoscope: Ptoscope, kernels: Path) -> None:
    done = ptoscope("ir", f"{kernels}::double", "--diff", "GenerateMoveOp")
    assert done.returncode == 0
    assert any(line.startswith("+") and "COPY_IN" in line for line in done.stdout.splitlines())
    refused = ptoscope("ir", f"{kernels}::double", "--after", "NoSuchPass")
    assert refused.returncode == 2 and "ExpandFunction" in refused.stderr


def test_doctor_lists_libraries_and_targets(ptoscope: Ptoscope) -> None:
    facts = json.loads(ptoscope("doctor", "--json").stdout)
    assert {"a2a3", "950"} <= set(facts["targets"]) and facts["packages"]["numpy"]
    assert ptoscope("doctor").returncode == 0
