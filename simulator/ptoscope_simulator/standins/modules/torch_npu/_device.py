"""The device type "npu": ordinary CPU tensors that remember which device they stand for.

A tensor made with `device="npu:0"`, moved there, or computed from such tensors carries `_npu_index`. Moving between
"cpu" and "npu" copies, as on a board, so that a kernel never writes into the host's copy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_NAME = re.compile(r"npu(?::(\d+))?")
_GET_DEVICE = torch.Tensor.device.__get__
_GET_IS_CPU = torch.Tensor.is_cpu.__get__
_installed = False


def device_index(value: Any) -> int | None:
    """The NPU index that `value` (a string, a `torch.device`) names; None for anything else."""
    if isinstance(value, torch.device):
        return (value.index or 0) if value.type == "npu" else None
    match = _NAME.fullmatch(value) if isinstance(value, str) else None
    return int(match[1] or 0) if match else None


def index_of(tensor: torch.Tensor) -> int | None:
    """The NPU that the tensor stands for being on; None on the host."""
    return getattr(tensor, "_npu_index", None)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)


def _place(result: Any, index: int) -> Any:
    for tensor in _tensors(result):
        tensor._npu_index = index
    return result


def _to_host(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.clone() if index_of(tensor) is not None else tensor


class NpuDevices(TorchFunctionMode):  # type: ignore[misc]
    """Maps "npu" devices to the host in every torch call, and carries the mark along."""

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function is torch.device:
            return function(*args, **kwargs)
        if function == _GET_DEVICE:
            index = index_of(args[0])
            return function(*args) if index is None else torch.device("npu", index)
        if function == _GET_IS_CPU:
            return index_of(args[0]) is None
        requested = [index for index in map(device_index, (*args, *kwargs.values())) if index is not None]
        if requested:
            args = tuple("cpu" if device_index(a) is not None else a for a in args)
            kwargs = {k: "cpu" if device_index(v) is not None else v for k, v in kwargs.items()}
        if function in (torch.Tensor.to, torch.Tensor.cpu):
            return self._move(function, args, kwargs, requested)
        result = function(*args, **kwargs)
        if requested:
            return _place(result, requested[0])
        marks = [index for index in map(index_of, _tensors((*args, *kwargs.values()))) if index is not None]
        return _place(result, marks[0]) if marks else result

    @staticmethod
    def _move(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], requested: list[int]) -> Any:
        source = index_of(args[0])
        if requested:
            result = function(*args, **kwargs)
            if source is None and result.data_ptr() == args[0].data_ptr():
                result = result.clone()
            return _place(result, requested[0])
        leaves = function is torch.Tensor.cpu or any(_names_host(v) for v in (*args[1:], *kwargs.values()))
        tensor_target = next(_tensors(args[1:]), None)
        if tensor_target is not None:
            target = index_of(tensor_target)
            result = function(*args, **kwargs)
            return result if target is None else _place(result, target)
        if leaves:
            host = _to_host(args[0])
            if hasattr(host, "_npu_index"):
                del host._npu_index
            return function(host, *args[1:], **kwargs)
        result = function(*args, **kwargs)
        return result if source is None else _place(result, source)


def _names_host(value: Any) -> bool:
    return value == "cpu" if isinstance(value, str) else isinstance(value, torch.device) and value.type == "cpu"


def install() -> None:
    """Give `torch` the device type "npu", once per process."""
    global _installed
    if _installed:
        return
    _installed = True
    torch.utils.rename_privateuse1_backend("npu")
    torch.Tensor.npu = lambda self, device=None, non_blocking=False: self.to(
        f"npu:{device}" if isinstance(device, int) else device or "npu:0"
    )
    torch.Tensor.is_npu = property(lambda self: index_of(self) is not None)
    NpuDevices().__enter__()
