"""Every public name of `pypto`: which modules, functions, members and enumerations exist, and their parameters.

The facts are data (`names.json`), so that an unknown name or keyword is provable, not guessed.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `default` is its Python text, None where the parameter is required.

    `kind` is one of "positional" (or keyword), "variadic" (`*args`), "keyword", "variadic keyword" (`**kwargs`).
    """

    name: str
    kind: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters of a public function, in order."""

    name: str
    parameters: tuple[Parameter, ...]
    text: str

    @property
    def keywords(self) -> tuple[str, ...]:
        """Names that may be given by keyword."""
        return tuple(parameter.name for parameter in self.parameters if parameter.kind in ("positional", "keyword"))

    @property
    def takes_any_keyword(self) -> bool:
        return any(parameter.kind == "variadic keyword" for parameter in self.parameters)

    def __str__(self) -> str:
        return f"{self.name}({self.text})"


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    tables: dict[str, Any] = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))
    return tables


def modules() -> tuple[str, ...]:
    """Qualified names of the public modules: `pypto`, `pypto.experimental`, ..."""
    return tuple(_tables()["modules"])


@cache
def names(module: str) -> frozenset[str]:
    """Public names of a module; KeyError for a module that is not public."""
    return frozenset(_tables()["modules"][module].split())


@cache
def members(owner: str) -> frozenset[str]:
    """Public methods and attributes of a class such as `pypto.Tensor`."""
    return frozenset(_tables()["members"][owner].split())


@cache
def enumerations() -> Mapping[str, tuple[str, ...]]:
    """Members of each enumeration, in the order of their values."""
    return {name: tuple(values.split()) for name, values in _tables()["enums"].items()}


@cache
def signature(name: str) -> Signature | None:
    """The parameters of a public callable such as `pypto.sum` or `pypto.Tensor.view`; None where none is known."""
    text = _tables()["signatures"].get(name)
    if text is None:
        return None
    arguments = ast.parse(f"lambda {text}: 0", mode="eval").body
    assert isinstance(arguments, ast.Lambda)
    return Signature(name, tuple(_parameters(arguments.args)), text)


def _parameters(arguments: ast.arguments) -> Iterable[Parameter]:
    missing = len(arguments.args) - len(arguments.defaults)
    for position, argument in enumerate(arguments.args):
        default = arguments.defaults[position - missing] if position >= missing else None
        yield Parameter(argument.arg, "positional", ast.unparse(default) if default else None)
    if arguments.vararg:
        yield Parameter(arguments.vararg.arg, "variadic")
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False):
        yield Parameter(argument.arg, "keyword", ast.unparse(keyword_default) if keyword_default else None)
    if arguments.kwarg:
        yield Parameter(arguments.kwarg.arg, "variadic keyword")


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name` is most likely a misspelling of, None where nothing is near."""
    known = sorted(candidates)
    relatives = [candidate for candidate in known if name.startswith(candidate) or candidate.startswith(name)]
    matches = get_close_matches(name, known, 1, 0.6) or sorted(relatives, key=len, reverse=True)
    return matches[0] if matches else None


_KEYWORD_RELATIVES = {
    "axis": "dim",
    "axes": "dims",
    "keepdims": "keepdim",
    "dtype": "out_dtype",
    "offset": "offsets",
    "transpose_a": "a_trans",
    "transpose_b": "b_trans",
    "trans_a": "a_trans",
    "trans_b": "b_trans",
}


def nearest_keyword(name: str, candidates: Iterable[str]) -> str | None:
    """As `nearest`, knowing the words of numpy and torch for the same thing."""
    known = tuple(candidates)
    relative = _KEYWORD_RELATIVES.get(name)
    return relative if relative in known else nearest(name, known)
