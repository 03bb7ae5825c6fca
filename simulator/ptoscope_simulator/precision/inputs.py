"""Inputs from a signature and a seed, and inputs and golden values from files."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptoscope_compiler.dtype import BF16, DType, Kind

from ..numerics import numpy_dtype

Array = NDArray[Any]
Signature = Sequence[tuple[str, DType, tuple[int, ...]]]


class BadInput(Exception):
    """A file that cannot serve as inputs or golden values; the message says which and why."""


def generate(signature: Signature, seed: int, scale: float = 1.0) -> dict[str, Array]:
    """One array per (name, type, shape): normal floats, integers from -8 to 7 (unsigned: 0 to 15), booleans.

    `scale` is the standard deviation of the floats.

    Each tensor draws from a stream of its own, so that adding a parameter does not change the others.
    """
    arrays = {}
    for name, dtype, shape in signature:
        generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
        if dtype.is_float:
            array: Array = generator.standard_normal(shape) * scale
        elif dtype.kind is Kind.BOOLEAN:
            array = generator.integers(0, 2, shape)
        else:
            low = 0 if dtype.kind is Kind.UNSIGNED else -8
            array = generator.integers(low, low + 16, shape)
        arrays[name] = array.astype(numpy_dtype(dtype))
    return arrays


def load(path: Path, names: Sequence[str]) -> dict[str, Array]:
    """The arrays of an npz, npy or pt file by tensor name.

    A file with a single array stands for the only name in `names`; positions stand for names where the file has none
    (`arr_0`, or a list). BadInput where the file cannot be read or does not say what it holds.
    """
    if not path.is_file():
        raise BadInput(f"{path}: no such file")
    readers = {".npz": _load_npz, ".npy": _load_npy, ".pt": _load_pt, ".pth": _load_pt}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise BadInput(f"{path}: expected a file in .npz, .npy or .pt")
    return _named(path, reader(path), names)


def _load_npz(path: Path) -> Any:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
        raise BadInput(f"{path}: not a readable npz file ({error})") from None


def _load_npy(path: Path) -> Any:
    try:
        return [np.load(path, allow_pickle=False)]
    except (ValueError, OSError, EOFError) as error:
        raise BadInput(f"{path}: not a readable npy file ({error})") from None


def _load_pt(path: Path) -> Any:
    try:
        import torch
    except ImportError:
        raise BadInput(f"{path}: reading .pt files needs torch, which is not installed") from None
    try:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise BadInput(f"{path}: not a readable pt file ({error})") from None
    if isinstance(loaded, torch.Tensor):
        return [_from_torch(loaded)]
    if isinstance(loaded, Mapping):
        return {str(name): _from_torch(tensor) for name, tensor in loaded.items()}
    if isinstance(loaded, (list, tuple)):
        return [_from_torch(tensor) for tensor in loaded]
    raise BadInput(f"{path}: holds a {type(loaded).__name__}, not tensors")


def _from_torch(tensor: Any) -> Array:
    detached = tensor.detach().contiguous()
    if str(detached.dtype) == "torch.bfloat16":
        return detached.float().numpy().astype(numpy_dtype(BF16))  # type: ignore[no-any-return]
    return detached.numpy()  # type: ignore[no-any-return]


def _named(path: Path, loaded: Any, names: Sequence[str]) -> dict[str, Array]:
    if isinstance(loaded, dict) and not all(name.startswith("arr_") for name in loaded):
        return loaded
    arrays = list(loaded.values()) if isinstance(loaded, dict) else loaded
    if len(arrays) != len(names):
        raise BadInput(f"{path}: holds {len(arrays)} arrays without names, the kernel has {', '.join(names)}")
    return dict(zip(names, arrays, strict=True))


def check_golden(
    source: str, golden: Mapping[str, Array], outputs: Mapping[str, tuple[DType, tuple[int, ...]]]
) -> None:
    """BadInput where a golden array has a name, shape or element type that no output has.

    A golden may be wider than its output (float64 for any float, int64 for any integer), never of another kind.
    """
    for name, array in golden.items():
        if name not in outputs:
            raise BadInput(f"{source}: '{name}' is no output of the kernel; its outputs are {', '.join(outputs)}")
        dtype, shape = outputs[name]
        if array.shape != shape:
            raise BadInput(f"{source}: '{name}' has shape {list(array.shape)}, the output has {list(shape)}")
        if not _same_kind(array.dtype, dtype):
            raise BadInput(f"{source}: '{name}' has type {array.dtype}, the output has {dtype.name}")


def fit_inputs(source: str, arrays: Mapping[str, Array], signature: Signature) -> dict[str, Array]:
    """The arrays in the types of the parameters: floats may be given wider and are rounded.

    BadInput where a name is no parameter, or a shape or kind of type is another.
    """
    known = {name: (dtype, shape) for name, dtype, shape in signature}
    fitted = {}
    for name, array in arrays.items():
        if name not in known:
            raise BadInput(f"{source}: '{name}' is no parameter of the kernel; it has {', '.join(known)}")
        dtype, shape = known[name]
        if array.shape != shape:
            raise BadInput(f"{source}: '{name}' has shape {list(array.shape)}, the parameter has {list(shape)}")
        if not _same_kind(array.dtype, dtype):
            raise BadInput(f"{source}: '{name}' has type {array.dtype}, the parameter has {dtype.name}")
        fitted[name] = array.astype(numpy_dtype(dtype))
    return fitted


def _same_kind(found: np.dtype[Any], dtype: DType) -> bool:
    if found == numpy_dtype(dtype):
        return True
    if dtype.is_float:
        return found.kind == "f" and found.itemsize >= dtype.bytes
    if dtype.kind is Kind.BOOLEAN:
        return found.kind == "b"
    return found.kind in "iu" and found.itemsize >= dtype.bytes
