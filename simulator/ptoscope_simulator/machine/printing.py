"""What device-side printf and tile dumps put out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from ptoscope_compiler.pto.operands import Tile, Window
from ptoscope_compiler.pto.program import Print

from .core import Core
from .operands import prepare

_CONVERSION = re.compile(r"%([-+ #0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|z|j|t)?([diouxXfFeEgGaAcsp%])")


def formatted(statement: Print, core: Core) -> str:
    """The text of a print on `core`: C's conversions for scalars, tiles and windows as arrays after it."""
    numbers: list[Any] = []
    arrays: list[str] = []
    for operand in statement.arguments:
        value = prepare(operand).read(core)
        if isinstance(operand, (Tile, Window)):
            arrays.append(np.array2string(np.asarray(value), threshold=64, precision=6))
        else:
            numbers.append(value)
    text = _substituted(statement.format, numbers)
    return "\n".join([text, *arrays]) if text else "\n".join(arrays)


def _substituted(template: str, numbers: list[Any]) -> str:
    waiting = iter(numbers)

    def one(match: re.Match[str]) -> str:
        flags, kind = match.groups()
        if kind == "%":
            return "%"
        value = next(waiting, None)
        if value is None:
            return match.group(0)
        if kind in "di":
            return f"%{flags}d" % int(value)
        if kind in "u":
            return f"%{flags}d" % (int(value) & 0xFFFFFFFF if int(value) < 0 else int(value))
        if kind == "p":
            return hex(int(value))
        if kind in "oxX":
            return f"%{flags}{kind}" % (int(value) & 0xFFFFFFFF if int(value) < 0 else int(value))
        if kind in "cs":
            return str(f"%{flags}{kind}" % value)
        return f"%{flags}{kind.replace('a', 'e').replace('A', 'E')}" % float(value)

    return _CONVERSION.sub(one, template)
