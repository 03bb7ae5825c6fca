"""Generated inputs, and files that hold inputs or golden values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ptoscope_compiler.dtype import BF16, BOOL, FP16, FP32, INT32, UINT8
from ptoscope_simulator.numerics import numpy_dtype
from ptoscope_simulator.precision.inputs import BadInput, check_golden, generate, load

SIGNATURE = [("x", FP32, (8, 4)), ("w", BF16, (4,)), ("i", INT32, (16,)), ("m", BOOL, (9,)), ("u", UINT8, (9,))]
OUTPUTS = {"y": (FP16, (2, 3)), "n": (INT32, (2,))}


def test_a_seed_fixes_the_inputs_and_each_parameter_has_its_own_stream() -> None:
    first, second = generate(SIGNATURE, 7), generate(SIGNATURE[1:], 7)
    assert {name: array.dtype for name, array in first.items()} == {n: numpy_dtype(d) for n, d, _ in SIGNATURE}
    assert all(np.array_equal(first[name], second[name]) for name in second)
    assert not np.array_equal(first["x"], generate(SIGNATURE, 8)["x"])
    assert first["u"].min() >= 0
    assert first["i"].min() < 0


def test_npz_npy_and_positions(tmp_path: Path) -> None:
    y, n = np.ones((2, 3), np.float16), np.arange(2, dtype=np.int32)
    np.savez(tmp_path / "named.npz", y=y, n=n)
    np.savez(tmp_path / "positions.npz", y, n)
    np.save(tmp_path / "one.npy", y)
    assert np.array_equal(load(tmp_path / "named.npz", ["y", "n"])["n"], n)
    assert np.array_equal(load(tmp_path / "positions.npz", ["y", "n"])["n"], n)
    assert np.array_equal(load(tmp_path / "one.npy", ["y"])["y"], y)


@pytest.mark.needs_torch
def test_pt_files(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save({"y": torch.ones(2, dtype=torch.bfloat16)}, tmp_path / "named.pt")
    torch.save(torch.ones(2), tmp_path / "one.pt")
    assert load(tmp_path / "named.pt", ["y"])["y"].dtype == numpy_dtype(BF16)
    assert load(tmp_path / "one.pt", ["y"])["y"].tolist() == [1, 1]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "corrupt.npz").write_bytes(b"PK\x03\x04 nonsense")
    (tmp_path / "corrupt.npy").write_bytes(b"nonsense")
    (tmp_path / "golden.csv").write_text("1,2")
    np.save(tmp_path / "one.npy", np.ones(2))
    whole = tmp_path / "truncated.npz"
    np.savez(whole, y=np.arange(10000))
    whole.write_bytes(whole.read_bytes()[:4000])
    for name, reason in [
        ("missing.npz", "no such file"),
        ("corrupt.npz", "not a readable npz file"),
        ("truncated.npz", "not a readable npz file"),
        ("corrupt.npy", "not a readable npy file"),
        ("golden.csv", "expected a file in .npz, .npy or .pt"),
        ("one.npy", "holds 1 arrays without names, the kernel has y, n"),
    ]:
        with pytest.raises(BadInput, match=reason):
            load(tmp_path / name, ["y", "n"])


@pytest.mark.parametrize(
    ("golden", "reason"),
    [
        ({"z": np.ones(2)}, "'z' is no output of the kernel; its outputs are y, n"),
        ({"y": np.ones((3, 2))}, r"'y' has shape \[3, 2\], the output has \[2, 3\]"),
        ({"y": np.ones((2, 3), np.int32)}, "'y' has type int32, the output has DT_FP16"),
        ({"n": np.ones(2, np.float32)}, "'n' has type float32, the output has DT_INT32"),
        ({"n": np.ones(2, np.int8)}, "'n' has type int8, the output has DT_INT32"),
    ],
)
def test_goldens_that_do_not_fit(golden: dict[str, np.ndarray], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        check_golden("golden.npz", golden, OUTPUTS)


def test_a_wider_golden_is_welcome() -> None:
    check_golden("golden.npz", {"y": np.ones((2, 3)), "n": np.ones(2, np.int64)}, OUTPUTS)
