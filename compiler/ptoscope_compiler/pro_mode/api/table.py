"""Reader of the operation tables.

One operation per line of `*.json`: `parameters` (see `Parameter`), `pipe`, one-line docs in English and Chinese, and
how it lowers: `steps`, instructions written `OPCODE output input ... attribute=value`, per variant; or `family`, a
function of `ops/`; or neither, where the operation is not modelled. Facts: `python/pypto_pro/language/_api.py`,
`_vf_api.py`, `parser/_op_pipeline.py` of hicann/pypto.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...hardware import Pipe

_LITERALS = {"none": "None", "true": "True", "false": "False"}


@dataclass(frozen=True)
class Parameter:
    """A parameter, written `name:kinds=default`; after `*` by keyword only; `*args` and `**fields` take the rest.

    Kinds: W, R, RW a tile that is written, read or both; T a scratch tile; `s` a scalar; `tile`, `tensor`, `group`,
    `offsets` (a sequence of scalars), `dtype`; `r`, `m`, `p` a register, a mask, a pointer into
    UB; else the name of an enumeration; `R/s` a tile or a scalar; none: anything.
    """

    name: str
    kinds: tuple[str, ...] = ()
    default: str | None = None
    keyword_only: bool = False

    @property
    def is_tile(self) -> bool:
        return any(kind in ("W", "R", "RW", "T") for kind in self.kinds)


@dataclass(frozen=True)
class Entry:
    """One operation."""

    name: str
    parameters: tuple[Parameter, ...]
    pipe: Pipe
    en: str
    zh: str
    steps: Mapping[str, tuple[str, ...]]
    family: str
    variadic: str = ""
    fields: bool = False

    @property
    def positional(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if not parameter.keyword_only)

    @property
    def signature(self) -> str:
        """The parameters as Python writes them."""
        parts: list[str] = []
        for parameter in self.parameters:
            if parameter.keyword_only and "*" not in parts and not self.variadic:
                parts.append("*")
            default = "" if parameter.default is None else f"={_LITERALS.get(parameter.default, parameter.default)}"
            parts.append(parameter.name + default)
        if self.variadic:
            parts.insert(len(self.positional), f"*{self.variadic}")
        return f"({', '.join([*parts, *(['**fields'] if self.fields else [])])})"


@cache
def load(table: str) -> Mapping[str, Entry]:
    """The entries of `table` ("operations", "system", "vector") by name."""
    text = (Path(__file__).parent / f"{table}.json").read_text(encoding="utf-8")
    return {name: _entry(name, **fields) for name, fields in json.loads(text).items()}


def _entry(
    name: str,
    parameters: list[str],
    pipe: str,
    en: str,
    zh: str,
    steps: Mapping[str, list[str]] | None = None,
    family: str = "",
) -> Entry:
    read: list[Parameter] = []
    keyword_only, variadic, fields = False, "", False
    for text in parameters:
        if text.startswith("**"):
            fields = True
        elif text.startswith("*"):
            keyword_only, variadic = True, text[1:]
        else:
            read.append(_parameter(text, keyword_only))
    variants = {key: tuple(lines) for key, lines in (steps or {}).items()}
    return Entry(name, tuple(read), Pipe(pipe), en, zh, variants, family, variadic, fields)


def _parameter(text: str, keyword_only: bool) -> Parameter:
    head, has_default, default = text.partition("=")
    name, _, kinds = head.partition(":")
    return Parameter(name, tuple(kinds.split("/")) if kinds else (), default if has_default else None, keyword_only)
