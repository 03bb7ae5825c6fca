"""What the two modes bring to an analysis: the modules that they supply, and how their kernels are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..diagnostics.diagnostic import Diagnostic
from ..evaluate.kernels import Kernel, Specialisation
from ..evaluate.static_environment import StaticEnvironment
from ..evaluate.values import Value
from ..pro_mode.module import modules as pro_modules
from ..targets import Target
from ..tensor_mode.module import make_module as tensor_module
from . import pro_kernels, tensor_kernels

Check = Callable[[Kernel, "Specialisation | None", Target, StaticEnvironment], list[Diagnostic]]

CHECKS: Mapping[str, Check] = {"tensor": tensor_kernels.check, "pro": pro_kernels.check}
"""By the mode of a kernel: its findings under one call (None: under what its signature says)."""

SUPPLIED = frozenset({"pypto", "pypto_pro", "torch", "torch_npu", "numpy"})
"""Packages that never come from the workspace."""


def modules() -> dict[str, Value]:
    """Fresh module objects for one evaluation, by import name."""
    return {"pypto": tensor_module(), **pro_modules()}
