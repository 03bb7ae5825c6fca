"""`torch_npu.profiler`: accepted and without effect; `ptoscope` has its own measurements."""

from __future__ import annotations

from typing import Any


class _Names:
    """Every attribute is its own name: profiler levels, metrics, export types."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> _Names:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Names(f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> _Names:
        return self

    def __repr__(self) -> str:
        return self._name


class profile:
    """A profiling session that records nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> profile:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def start(self) -> None:
        """Records nothing."""

    def stop(self) -> None:
        """Records nothing."""

    def step(self) -> None:
        """Records nothing."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Names(name)
