"""The live `pypto` of a user's process.

Every name is the compiler's own value made live (`bridge`), but for what must act in the running process: the decorator
that makes a kernel, options around host functions, and the hooks of the native module.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from types import ModuleType, TracebackType
from typing import Any

import ptoscope_compiler.tensor_mode.indexing  # noqa: F401 (subscripts import it when first needed)
from ptoscope_compiler import targets
from ptoscope_compiler.evaluate.live.environment import LiveEnvironment
from ptoscope_compiler.passes.manager import PASSES
from ptoscope_compiler.tensor_mode import api
from ptoscope_compiler.tensor_mode.config_functions import apply_options
from ptoscope_compiler.tensor_mode.module import Module
from ptoscope_compiler.tensor_mode.ops.registry import operations
from ptoscope_compiler.tensor_mode.session import Session

from . import bridge
from .kernels import TensorKernelFunction
from .session import current

SESSION = Session()
MODULES = {name: Module(name, SESSION) for name in api.modules()}


@functools.cache
def environment() -> LiveEnvironment:
    """Names of the running process as the compiler sees them."""
    made = LiveEnvironment(MODULES)
    made.register_type(bridge.Live, bridge.lower)
    made.register_type(TensorKernelFunction, lambda kernel: made.wrap(kernel.function))
    return made


bridge.use_environment(environment)


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """`@pypto.frontend.jit`, bare or with options."""
    if function is None:
        return lambda kernel: TensorKernelFunction(kernel, options, SESSION, environment)
    if not callable(function):
        raise TypeError("jit decorator can only be used on functions")
    return TensorKernelFunction(function, options, SESSION, environment)


class Options:
    """`pypto.options(...)` around host code: as a decorator, or in `with`."""

    def __init__(self, name: str = "", **given: Any) -> None:
        self._given = {key: bridge.lower(value) for key, value in given.items()}
        self._scopes: list[Any] = []

    def __enter__(self) -> Options:
        scope = SESSION.configuration.scope()
        scope.__enter__()
        self._scopes.append(scope)
        apply_options(SESSION, self._given, "pypto.options", bridge.HostSite(environment()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scopes.pop().__exit__(kind, error, trace)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def optioned(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return optioned


def _set_global_config(values: Mapping[str, Any]) -> None:
    """The native module's hook by which suites set options of the root scope: `{"pass.enable_slice": True}`."""
    for name, value in values.items():
        group, _, option = name.partition(".")
        SESSION.configuration.set_options(group, {option: value})


def _nothing(*args: Any, **kwargs: Any) -> None:
    """What orders the host and a device that is never behind."""


_LIVE: Mapping[str, Any] = {
    "pypto.jit": jit,
    "pypto.frontend.jit": jit,
    "pypto.options": Options,
    "pypto.runtime._device_synchronize": _nothing,
    "pypto.pypto_impl.SetGlobalConfig": _set_global_config,
    "pypto.pypto_impl.Reset": _nothing,
}


def _find(module: str, name: str) -> Any:
    qualified = f"{module}.{name}"
    if qualified in _LIVE:
        return _LIVE[qualified]
    if qualified in sys.modules:
        return sys.modules[qualified]
    if name.startswith("__") or module not in MODULES:
        raise AttributeError(f"module '{module}' has no attribute '{name}'")
    return getattr(bridge.Live(MODULES[module]), name)


def publish(namespace: dict[str, Any]) -> None:
    """Fill the namespace of the stand-in package `pypto`, and make its submodules importable."""
    namespace["__getattr__"] = functools.partial(_find, "pypto")
    for name in (*api.modules(), "pypto.pypto_impl", "pypto.runtime"):
        if name == "pypto":
            continue
        module = ModuleType(name)
        module.__getattr__ = functools.partial(_find, name)  # type: ignore[method-assign]
        module.__path__ = []
        sys.modules[name] = module
    _register_npu()
    _import_compiler()


def _import_compiler() -> None:
    """What the compiler imports when first needed comes with `import pypto`: no compile of a kernel waits for it."""
    for entry in PASSES:
        entry.load()
    operations()
    targets.load(current().target)


def _register_npu() -> None:
    """`pypto` brings the npu device with it where torch is installed."""
    try:
        import torch_npu  # noqa: F401
    except ImportError:
        return
