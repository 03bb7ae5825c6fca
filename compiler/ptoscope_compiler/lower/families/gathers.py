"""Indexed reads and writes. Source: `framework/src/interface/tileop/vector/{gather,scatter}.h` of hicann/pypto."""

from __future__ import annotations

from ..registry import RULES

__all__ = ["RULES"]
