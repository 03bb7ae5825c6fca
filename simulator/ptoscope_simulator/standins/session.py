"""What the process of a user's script has been asked to do: the target, and who listens to its launches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ptoscope_compiler import targets

if TYPE_CHECKING:
    from .kernels import LaunchRecord

_DEVICE_NAMES = {"2201": "Ascend910B2", "3510": "Ascend950PR_9579"}


@dataclass
class Session:
    """Settings of one process. `on_launch` is called before each kernel runs, with its inputs still untouched."""

    target: str = "a2a3"
    step_budget: int | None = None
    on_launch: list[Callable[[LaunchRecord], None]] = field(default_factory=list)
    on_output: Callable[[str], None] = print
    observe_stages: bool = False

    @property
    def architecture(self) -> str:
        """The target's architecture number: "2201", "3510", ..."""
        return targets.load(self.target).arch

    @property
    def device_name(self) -> str:
        """What `torch.npu.get_device_name()` answers."""
        return _DEVICE_NAMES.get(self.architecture, self.target)


_session = Session()


def current() -> Session:
    return _session


def configure(**settings: Any) -> Session:
    """Change settings of this process's session."""
    for name, value in settings.items():
        setattr(_session, name, value)
    return _session
