"""Golden values as the user names them: a file (`golden.npz`) or a function (`module:name`, `file.py:name`)."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .inputs import BadInput, load

Array = NDArray[Any]


def load_golden(source: str, arrays: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
    """The golden array of each output that `source` gives.

    `arrays` are the kernel's tensors before the launch. A function gets those that its parameters name, else those that
    are no outputs, in order: as torch tensors where its module imports torch, else as numpy arrays. BadInput where the
    source cannot be had, or does not give arrays.
    """
    module, separator, function = source.rpartition(":")
    if not separator or Path(source).suffix in (".npz", ".npy", ".pt", ".pth"):
        return load(Path(source), outputs)
    return _called(source, _function(module, function), arrays, outputs)


def _function(module: str, name: str) -> Callable[..., Any]:
    try:
        found = getattr(_module(module), name)
    except BadInput:
        raise
    except AttributeError:
        raise BadInput(f"{module} has no function '{name}'") from None
    except Exception as error:
        raise BadInput(f"{module} cannot be imported: {type(error).__name__}: {error}") from None
    if not callable(found):
        raise BadInput(f"{module}:{name} is not a function")
    return found  # type: ignore[no-any-return]


def _module(name: str) -> ModuleType:
    if not name.endswith(".py"):
        sys.path.insert(0, str(Path.cwd()))
        try:
            return importlib.import_module(name)
        finally:
            sys.path.pop(0)
    path = Path(name)
    if not path.is_file():
        raise BadInput(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _called(
    source: str, function: Callable[..., Any], arrays: Mapping[str, Array], outputs: Sequence[str]
) -> dict[str, Array]:
    given = {name: np.array(array) for name, array in arrays.items()}
    if "torch" in getattr(function, "__globals__", {}):
        given = {name: _to_torch(array) for name, array in given.items()}
    try:
        wanted = list(inspect.signature(function).parameters)
        if all(name in given for name in wanted):
            result = function(**{name: given[name] for name in wanted})
        else:
            result = function(*(value for name, value in given.items() if name not in outputs))
    except Exception as error:
        raise BadInput(f"{source} raised {type(error).__name__}: {error}") from None
    return _named(source, result, outputs)


def _named(source: str, result: Any, outputs: Sequence[str]) -> dict[str, Array]:
    if isinstance(result, Mapping):
        return {str(name): _to_numpy(source, value) for name, value in result.items()}
    values = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(values) != len(outputs):
        raise BadInput(f"{source} returned {len(values)} arrays; the outputs are {', '.join(outputs)}")
    return {name: _to_numpy(source, value) for name, value in zip(outputs, values, strict=True)}


def _to_torch(array: Array) -> Any:
    import torch

    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.uint16).view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _to_numpy(source: str, value: Any) -> Array:
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    if not isinstance(value, (np.ndarray, np.generic, float, int)):
        raise BadInput(f"{source} returned a {type(value).__name__}, not an array")
    return np.asarray(value)
