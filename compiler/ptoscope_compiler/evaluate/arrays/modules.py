"""Modules `torch` and `numpy` of host code."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from ..classes import MethodBuiltin, UserClass
from ..library.module import LibraryModule
from ..library.standard import PassThrough, Quiet
from ..natives import is_concrete
from ..scope import Module
from ..site import Site
from ..values import Abstract, Arguments, Builtin, Unknown, Value, is_unknown
from . import methods, shapes
from .array import METHODS, AbstractArray, shape
from .creation import CREATION, NUMPY_RANDOM, Function
from .element_type import ALIASES, NAMES, ElementType, promoted

_ON_NUMBERS: dict[str, Callable[..., Any]] = {
    "ceil": lambda number: float(math.ceil(number)),
    "floor": lambda number: float(math.floor(number)),
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log2", "prod")},
    "abs": abs,
    "sum": sum,
    "max": max,
    "min": min,
    "round": round,
    "power": pow,
}
_ONLY_METHODS = ("npu", "cuda", "cpu", "to", "view", "size", "dim", "numpy", "type", "contiguous", "half", "repeat")
_RENAMED = {"absolute": "abs", "fabs": "abs", "concat": "cat", "concatenate": "cat", "clip": "clamp"}


class Creation(Builtin):
    """A function that makes an array from plain values."""

    def __init__(self, name: str, library: str, function: Function) -> None:
        super().__init__(name)
        self.library = library
        self.function = function

    def call(self, arguments: Arguments, site: Site) -> Value:
        return self.function(self.library, arguments, site)


class OfArray(Builtin):
    """A function that is also a method of its first argument: `torch.exp(x)`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        first, *rest = arguments.positional or (dict(arguments.keywords).get("input"),)
        others = {name: value for name, value in dict(arguments.keywords).items() if name not in ("input", "out")}
        if not isinstance(first, AbstractArray) and rest and isinstance(rest[0], AbstractArray):
            first, rest = rest[0], [first, *rest[1:]]
        if isinstance(first, AbstractArray):
            return METHODS[self.name](first, Arguments(tuple(rest), others), site)
        function = _ON_NUMBERS.get(self.name)
        if function is None or not is_concrete(first) or is_unknown(first):
            return Unknown(self.name)
        return site.call(function, Arguments((first, *rest)))


class Join(Builtin):
    """`cat` and `stack`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        parts = methods.argument(arguments, 0, "tensors", "arrays")
        if not isinstance(parts, (list, tuple)) or not parts:
            return Unknown(self.name)
        if not all(isinstance(part, AbstractArray) for part in parts):
            return Unknown(self.name)
        first: AbstractArray = parts[0]
        dtype = first.dtype
        for part in parts[1:]:
            dtype = promoted(dtype, part.dtype)
        where = methods.argument(arguments, 1, "dim", "axis", default=0)
        return AbstractArray(first.library, self._shape(parts, where), dtype)

    def _shape(self, parts: Any, where: Value) -> shapes.Shape | None:
        shape: shapes.Shape | None = parts[0].shape
        if shape is None:
            return None
        stacking = self.name in ("stack", "vstack", "hstack")
        position = shapes.axis(where, len(shape) + (1 if stacking else 0))
        if position is None or self.name in ("vstack", "hstack"):
            return None
        if stacking:
            return (*shape[:position], len(parts), *shape[position:])
        extents = [part.shape[position] if part.shape and len(part.shape) == len(shape) else None for part in parts]
        total: Value = sum(extents) if all(isinstance(extent, int) for extent in extents) else Unknown("dimension")
        return (*shape[:position], total, *shape[position + 1 :])


class Where(Builtin):
    """`where(condition, x, y)`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        if len(arguments.positional) != 3:
            return Unknown(self.name)
        condition, left, right = arguments.positional
        model = next((value for value in (left, right, condition) if isinstance(value, AbstractArray)), None)
        if model is None:
            return Unknown(self.name)
        broad = shapes.broadcast(shape(condition), shapes.broadcast(shape(left), shape(right)))
        dtypes = [value.dtype for value in (left, right) if isinstance(value, AbstractArray)]
        dtype = promoted(dtypes[0], dtypes[-1]) if dtypes else None
        return AbstractArray(model.library, broad, dtype)


class ArrayClass(Abstract):
    """`torch.Tensor` and `numpy.ndarray`, as classes."""

    type_name = "type"

    def __init__(self, library: str) -> None:
        self.library = library

    def has_instance(self, value: Value, site: Site) -> bool | None:
        if is_unknown(value):
            return None
        return isinstance(value, AbstractArray) and value.library == self.library

    def get_attribute(self, name: str, site: Site) -> Value:
        return OfArray(name) if name in METHODS else Unknown(name)

    def call(self, arguments: Arguments, site: Site) -> Value:
        return CREATION["tensor"](self.library, arguments, site)

    def get_item(self, key: Value, site: Site) -> Value:
        return self

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        return Unknown("union of types") if operator == "|" else super().binary(operator, other, reflected, site)


def _members(library: str) -> dict[str, Value]:
    element_types: dict[str, Value] = {name: ElementType(library, name) for name in NAMES}
    element_types.update({alias: element_types[name] for alias, name in ALIASES.items()})
    of_array = {name: OfArray(name) for name in METHODS if name not in (*element_types, *_ONLY_METHODS)}
    renamed = {alias: OfArray(name) for alias, name in _RENAMED.items() if name in METHODS}
    joins = {name: Join(name) for name in ("cat", "concat", "concatenate", "stack", "vstack", "hstack")}
    creation = {name: Creation(name, library, function) for name, function in CREATION.items()}
    constants = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}
    return {**of_array, **renamed, **joins, **creation, **constants, **element_types, "where": Where("where")}


_FUNCTIONAL = (
    "softmax",
    "log_softmax",
    "relu",
    "gelu",
    "silu",
    "sigmoid",
    "tanh",
    "dropout",
    "layer_norm",
    "normalize",
)
_DECORATORS = ("no_grad", "inference_mode")


class _IsTensor(Builtin):
    """`torch.is_tensor`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        value = arguments.positional[0] if arguments.positional else None
        return Unknown(self.name) if is_unknown(value) else isinstance(value, AbstractArray)


class _Compile(Builtin):
    """`torch.compile`: what it compiles behaves as before."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        return arguments.positional[0] if arguments.positional else PassThrough(self.name)


class _Forward(MethodBuiltin):
    """Calling an `nn.Module` calls its `forward`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        instance, *rest = arguments.positional
        forward = instance.method("forward")
        if forward is None:
            return Unknown(self.name)
        return site.call(forward, type(arguments)(tuple(rest), arguments.keywords))


def _neural_module() -> UserClass:
    """`torch.nn.Module`: a class with more attributes than we know, whose instances are called."""
    node = ast.ClassDef("Module", [], [], [], [])
    module = Module("torch.nn", "")
    return UserClass("Module", node, (Unknown("Module"),), {"__call__": _Forward("__call__")}, module, module.scope)


class _SameAsFirst(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        first = methods.argument(arguments, 0, "input")
        return first if isinstance(first, AbstractArray) else Unknown(self.name)


def _torch() -> LibraryModule:
    functional = LibraryModule("torch.nn.functional", {name: _SameAsFirst(name) for name in _FUNCTIONAL})
    neural = LibraryModule("torch.nn", {"functional": functional, "Module": _neural_module()})
    members = _members("torch")
    for name in ("array", "asarray", "ascontiguousarray", "float", "int", "double", "long"):
        members.pop(name, None)
    members.update({alias: ElementType("torch", ALIASES[alias]) for alias in ("float", "int", "double", "long")})
    members.update({name: PassThrough(name) for name in _DECORATORS})
    members.update({name: Quiet(name) for name in ("manual_seed", "set_printoptions", "set_default_dtype")})
    members.update(
        {
            "compile": _Compile("compile"),
            "is_tensor": _IsTensor("is_tensor"),
            "Tensor": ArrayClass("torch"),
            "nn": neural,
        }
    )
    return LibraryModule("torch", members)


def _numpy() -> LibraryModule:
    members = _members("numpy")
    members.update({name: ElementType("numpy", "float64") for name in ("float", "double")})
    random: dict[str, Value] = {name: Creation(name, "numpy", function) for name, function in NUMPY_RANDOM.items()}
    random["seed"] = Quiet("seed")
    members.update({"ndarray": ArrayClass("numpy"), "random": LibraryModule("numpy.random", random)})
    return LibraryModule("numpy", members)


TORCH = _torch()
NUMPY = _numpy()
MODULES: dict[str, LibraryModule] = {
    "torch": TORCH,
    "numpy": NUMPY,
    "torch.nn": TORCH.members["nn"],
    "torch.nn.functional": TORCH.members["nn"].members["functional"],
}
