"""How many cycles an instruction takes on its pipe, from public cost models and measurements.

A2/A3: `cycles = head + slope * R + tail` per vector intrinsic, R the number of 256-byte repeats; latency and bandwidth
for transfers; 16 x 16 x C0 multiply-accumulates per cycle for the cube. 950: curves over loops of 256-byte registers.
The figures are data (`a2a3.json`, `950.json`), each beside its source. An instruction without figures costs what the
fallback of PTO-ISA's `perf_sim` says: scalar 1, vector 2 + elements / 32, matrix 4 + elements / 16.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import prod
from typing import Any

from ptoscope_compiler.pto.operands import Mask, Register, Tile

from ..registry import Context
from .rules import RULES

_FILES = {"2201": "a2a3.json"}
_DEFAULT = "950.json"


@cache
def table(arch: str) -> Mapping[str, Any]:
    """The figures for an architecture; Kirin chips, which share the vector core of the 950, use its table."""
    text = (files(__package__) / _FILES.get(arch, _DEFAULT)).read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = json.loads(text)
    return loaded


def cycles(opcode: str, context: Context) -> int:
    """Cycles for which the instruction occupies its pipe, at least 1."""
    figures = table(context.target.arch)
    entry = figures["instructions"].get(opcode)
    if entry is None:
        return fallback(opcode, context)
    return max(1, round(RULES[entry["rule"]](entry, figures, context)))


def fallback(opcode: str, context: Context) -> int:
    """Cycles of an instruction of which no figure is public."""
    views = [view for view in (*context.outputs, *context.inputs) if view is not None]
    if not views:
        return 1
    elements = max(prod(view.valid) for view in views)
    if opcode.startswith(("TMATMUL", "TGEMV")):
        return 4 + elements // 16
    if any(isinstance(view.operand, (Tile, Register, Mask)) for view in views):
        return 2 + elements // 32
    return 1
