"""`torch.npu`: one simulated device, whose launches are complete when they return."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from ptoscope_simulator.standins.session import current

from ._device import device_index

_device = 0


class Stream:
    """A queue of work. Launches are complete when they return, so streams order nothing."""

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.device = torch.device("npu", _index(device))
        self.npu_stream = 0

    def synchronize(self) -> None:
        """Nothing is outstanding."""

    def wait_stream(self, stream: Any) -> None:
        """Nothing is outstanding."""

    def wait_event(self, event: Any) -> None:
        """Nothing is outstanding."""

    def record_event(self, event: Event | None = None) -> Event:
        return event or Event()

    def query(self) -> bool:
        return True


class Event:
    """A mark in a stream; its times are those of the simulated NPU's clock, which stands still on the host."""

    def __init__(self, enable_timing: bool = False, **_: Any) -> None:
        self.enable_timing = enable_timing

    def record(self, stream: Any = None) -> None:
        """Nothing is outstanding."""

    def wait(self, stream: Any = None) -> None:
        """Nothing is outstanding."""

    def synchronize(self) -> None:
        """Nothing is outstanding."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        raise RuntimeError("ptoscope: events of the simulated NPU carry no time; use the cycle counts of a run")


def _index(device: Any) -> int:
    if device is None:
        return _device
    if isinstance(device, int):
        return device
    index = device_index(device)
    if index is None:
        raise RuntimeError(f"ptoscope: {device!r} is not an NPU device")
    return index


def is_available() -> bool:
    return True


def is_initialized() -> bool:
    return True


def init() -> None:
    """The simulated NPU needs no initialisation."""


def device_count() -> int:
    return 1


def current_device() -> int:
    return _device


def set_device(device: Any) -> None:
    """Make `device` current. Any index is taken: every NPU is the same simulated one."""
    global _device
    _device = _index(device)


@contextlib.contextmanager
def device(device: Any) -> Iterator[None]:
    before = _device
    set_device(device)
    try:
        yield
    finally:
        set_device(before)


def get_device_name(device: Any = None) -> str:
    """The chip's name, by the session's target."""
    return current().device_name


def get_soc_version() -> int:
    """The number by which test suites choose their cases: 260 is the 950 family, 220 the 910B family."""
    return 260 if current().architecture == "3510" else 220


def synchronize(device: Any = None) -> None:
    """Launches are complete when they return."""


def current_stream(device: Any = None) -> Stream:
    return Stream(device)


default_stream = current_stream


@contextlib.contextmanager
def stream(stream: Any) -> Iterator[Any]:
    yield stream


def set_stream(stream: Any) -> None:
    """Launches are complete when they return."""


def is_current_stream_capturing() -> bool:
    return False


def empty_cache() -> None:
    """The simulated NPU's memory is the host's."""


def manual_seed(seed: int) -> None:
    """Seeds the host's generator, which the devices share; `torch.manual_seed` itself calls this."""
    torch.default_generator.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    manual_seed(seed)


def _is_in_bad_fork() -> bool:
    return False


def memory_allocated(device: Any = None) -> int:
    return 0


memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated


def is_bf16_supported() -> bool:
    return True


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch.npu.{name} is not part of the simulated NPU (ptoscope)")
