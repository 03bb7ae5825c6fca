"""Kernels as values of host code. Calling one there does not run it: it records a specialisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..origin import Origin
from .functions import UserFunction
from .site import Site
from .values import Abstract, Arguments, Value


@dataclass(frozen=True)
class Specialisation:
    """A call of a kernel in host code: its arguments as far as they are known, and where it stands.

    `launch` is what stands in brackets before the call in Pro mode.
    """

    kernel: Kernel
    arguments: Arguments
    origin: Origin
    launch: Value = None


class Kernel(Abstract):
    """A function under a mode's decorator. `mode` is "tensor" or "pro"; `options` are those of the decorator.

    Modes build one in the `call` of their decorator value, through `define`, and may subclass it.
    """

    type_name = "kernel"

    def __init__(self, function: UserFunction, mode: str, options: Mapping[str, Value] | None = None) -> None:
        self.function = function
        self.mode = mode
        self.options = dict(options or {})

    @property
    def name(self) -> str:
        return self.function.name

    def get_attribute(self, name: str, site: Site) -> Value:
        return self.function.get_attribute(name, site)

    def call(self, arguments: Arguments, site: Site) -> Value:
        self.record(arguments, site)
        return None

    def record(self, arguments: Arguments, site: Site, launch: Value = None) -> None:
        """Keep this call as a specialisation, where the environment collects them."""
        collector = getattr(site.interpreter.environment, "record", None)
        if collector is not None:
            collector(Specialisation(self, arguments, site.origin, launch))

    def describe(self) -> str:
        return f"kernel {self.name}"


def define(kernel: Kernel, site: Site) -> Kernel:
    """Make `kernel` known to the environment in which its decorator was evaluated."""
    kernels = getattr(site.interpreter.environment, "kernels", None)
    if kernels is not None:
        kernels.append(kernel)
    return kernel
