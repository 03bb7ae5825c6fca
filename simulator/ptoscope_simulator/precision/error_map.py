"""Pictures of errors: a map over the elements of an output, and a curve along the program."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .judgement import GrowthPoint, Output
from .png import data_uri

_MOST_PIXELS = 512
_STOPS = np.array([[247, 247, 247], [253, 219, 140], [240, 130, 60], [178, 24, 43]], np.float64)
_NOT_FINITE = (90, 30, 140)


def error_map(output: Output) -> str:
    """A PNG data URI. Rows are all axes but the last; a pixel shows the worst of the elements under it, from white (no
    error) over yellow (the permitted error) to red (a thousand times that); purple is NaN or infinity on one side."""
    excess, broken = _grid(output)
    level = np.where(excess > 0, (np.log10(np.maximum(excess, 1e-3)) + 3) / 6, 0.0).clip(0, 1) * (len(_STOPS) - 1)
    low = np.floor(level).astype(int).clip(0, len(_STOPS) - 2)
    part = (level - low)[..., None]
    pixels = (_STOPS[low] * (1 - part) + _STOPS[low + 1] * part).astype(np.uint8)
    pixels[broken] = _NOT_FINITE
    scale = max(1, 128 // max(pixels.shape[:2]))
    return data_uri(pixels.repeat(scale, axis=0).repeat(scale, axis=1))


def _grid(output: Output) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    actual, golden = output.actual.astype(np.float64), output.golden.astype(np.float64)
    with np.errstate(all="ignore"):
        permitted = output.verdict.tolerance.at(golden)
        error = np.abs(actual - golden)
        same = (actual == golden) | (np.isnan(actual) & np.isnan(golden))
        excess = np.where(same, 0.0, error / np.maximum(permitted, np.finfo(np.float64).tiny))
    broken = ~same & ~np.isfinite(error)
    rows = (-1, actual.shape[-1]) if actual.ndim else (1, 1)
    return _shrunk(np.where(broken, 0.0, excess).reshape(rows)), _shrunk(broken.reshape(rows))


def _shrunk(values: NDArray[Any]) -> NDArray[Any]:
    """At most `_MOST_PIXELS` each way, the largest value of each patch."""
    for axis in (0, 1):
        length = values.shape[axis]
        if length > _MOST_PIXELS:
            starts = np.linspace(0, length, _MOST_PIXELS, endpoint=False).astype(int)
            values = np.maximum.reduceat(values, starts, axis=axis)
    return values


def growth_chart(points: tuple[GrowthPoint, ...], permitted: float, width: int = 760, height: int = 240) -> str:
    """An SVG: the departure of each instruction in program order, on a logarithmic scale, with the permitted one."""
    left, bottom, top = 56, height - 28, 12
    low, high = -12.0, 1.0

    def y(value: float) -> float:
        exponent = high if math.isinf(value) else math.log10(max(value, 10**low))
        return bottom - (min(max(exponent, low), high) - low) / (high - low) * (bottom - top)

    step = (width - left - 16) / max(len(points), 1)
    marks = []
    for exponent in range(int(low), int(high) + 1, 3):
        height_of = y(10.0**exponent)
        marks.append(f'<line x1="{left}" y1="{height_of:.1f}" x2="{width}" y2="{height_of:.1f}" class="grid"/>')
        marks.append(f'<text x="{left - 6}" y="{height_of + 4:.1f}" class="axis">1e{exponent}</text>')
    line = y(permitted) if permitted > 0 else bottom
    marks.append(f'<line x1="{left}" y1="{line:.1f}" x2="{width}" y2="{line:.1f}" class="limit"/>')
    for index, point in enumerate(points):
        x, place = left + step * (index + 0.5), y(point.departure)
        kind = "over" if point.departure > permitted else "under"
        title = escape(f"{point.origin.span} {point.opcode}: {point.departure:.3g} ({point.executions} x)")
        marks.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{place:.1f}" class="{kind}"/>')
        marks.append(f'<circle cx="{x:.1f}" cy="{place:.1f}" r="3" class="{kind}"><title>{title}</title></circle>')
    return f'<svg viewBox="0 0 {width} {height}" role="img">{"".join(marks)}</svg>'
