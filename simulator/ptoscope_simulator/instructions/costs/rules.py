"""The formulas of the cost tables. Each takes the entry of the instruction, the table and the context."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, prod
from typing import Any

from ptoscope_compiler.hardware import MemorySpace
from ptoscope_compiler.pto.operands import Tile, Window

from ..registry import Context, OperandView

Figures = Mapping[str, Any]
Rule = Callable[[Figures, Figures, Context], float]

_REPEAT_BYTES = 256
_BLOCK_BYTES = 32


def _bytes(view: OperandView) -> float:
    return prod(view.valid) * view.dtype.bits / 8


def widest(context: Context) -> OperandView:
    """The operand with the most bytes: it sets the number of repeats."""
    return max((view for view in (*context.outputs, *context.inputs) if view is not None), key=_bytes)


def row_bytes(view: OperandView) -> float:
    return view.valid[-1] * view.dtype.bits / 8


def repeats(view: OperandView, narrow_rows: int = 0, by_row: bool = False) -> int:
    """Vector repeats of 256 bytes. A dense tile goes through in one run; rows with gaps between them, or (for some
    instructions) rows of fewer than `narrow_rows` bytes, take repeats of their own."""
    rows = prod(view.valid[:-1])
    dense = view.valid[-1] == view.physical[-1] and not by_row and row_bytes(view) >= narrow_rows
    if dense:
        return ceil(_bytes(view) / _REPEAT_BYTES)
    return rows * ceil(row_bytes(view) / _REPEAT_BYTES)


def _intrinsic(figures: Figures, name: str, count: float) -> float:
    entry = figures["intrinsics"][name]
    cost: float = entry["head"] + entry["slope"] * count + entry["tail"]
    return cost


def by_repeats(entry: Figures, figures: Figures, context: Context) -> float:
    """Intrinsics one after the other over the widest operand."""
    view = widest(context)
    count = repeats(view, entry.get("narrow_rows", 0), entry.get("by_row", False))
    if "bytes_per_repeat" in entry:
        count = ceil(_bytes(view) / entry["bytes_per_repeat"])
    return sum(_intrinsic(figures, name, count) for name in entry["intrinsics"])


def row_reduction(entry: Figures, figures: Figures, context: Context) -> float:
    """Each row's repeats are combined into one, then one intrinsic folds every row."""
    view = widest(context)
    rows, per_row = prod(view.valid[:-1]), ceil(row_bytes(view) / _REPEAT_BYTES)
    combine = _intrinsic(figures, entry["combine"], rows * (per_row - 1)) if per_row > 1 else 0
    return combine + _intrinsic(figures, entry["fold"], rows)


def column_reduction(entry: Figures, figures: Figures, context: Context) -> float:
    """Row after row onto the first one, with a barrier between."""
    view = widest(context)
    rows, per_row = prod(view.valid[:-1]), ceil(row_bytes(view) / _REPEAT_BYTES)
    cost: float = (rows - 1) * (_intrinsic(figures, entry["combine"], per_row) + entry["barrier"])
    return cost + _copy(figures, 1, row_bytes(view))


def _copy(figures: Figures, bursts: int, burst_bytes: float) -> float:
    cost: float = bursts * (figures["copy"]["per_burst"] + ceil(burst_bytes / _BLOCK_BYTES))
    return cost


def _space(view: OperandView) -> MemorySpace:
    return view.operand.type.space if isinstance(view.operand, Tile) else MemorySpace.GM


def transfer(entry: Figures, figures: Figures, context: Context) -> float:
    """Between memories: a latency per run of the engine (the outer axes of a window repeat it) and a bandwidth.
    Within one memory: a burst per row, or one for a dense tile."""
    source, target = context.inputs[0], context.outputs[0]
    moved = min((view for view in (source, target) if view is not None), key=_bytes)
    start, end = (_space(source) if source is not None else MemorySpace.GM), _space(target)
    if start is end:
        dense = all(view is None or view.valid == view.physical for view in (source, target))
        rows = 1 if dense else prod(moved.valid[:-1])
        return _copy(figures, rows, _bytes(moved) / rows)
    path = figures["paths"].get(f"{start.value}->{end.value}")
    if path is None:
        return 3 + 2 * prod(moved.valid) / 64
    size = 2 * prod(moved.valid) if start is MemorySpace.L0C else _bytes(moved)
    runs = max((_runs(view) for view in (source, target) if view is not None), default=1)
    cost: float = runs * path["latency"] + size / path["bytes_per_cycle"]
    return cost


def _runs(view: OperandView) -> int:
    """Runs of the transfer engine for a window: one per element of the axes beyond rows and columns."""
    if not isinstance(view.operand, Window) or len(view.valid) <= 2 or view.operand.layout.value == "NZ":
        return 1
    return prod(view.valid[:-2])


def cube(entry: Figures, figures: Figures, context: Context) -> float:
    """One 16 x C0 x 16 step per cycle, two for float32."""
    operands = [view for view in context.inputs if view is not None]
    left = next(view for view in operands if _space(view) is MemorySpace.L0A)
    right = next(view for view in operands if _space(view) is MemorySpace.L0B)
    rows, depth, columns = left.valid[-2], left.valid[-1], right.valid[-1]
    per_step = 2 if left.dtype.bits == 32 else 1
    steps = ceil(rows / 16) * ceil(depth * left.dtype.bits / 8 / _BLOCK_BYTES) * ceil(columns / 16)
    cost: float = figures["cube"]["start"] + per_step * steps * prod(left.valid[:-2])
    return cost


def curve(entry: Figures, figures: Figures, context: Context) -> float:
    """A fitted curve over loops of 256-byte registers: flat for a dense tile, nested for rows with gaps."""
    source = context.inputs[0]
    view = source if entry.get("over") == "input" and source is not None else widest(context)
    points = figures["curves"][entry["curve"]]
    kind = "f16" if view.dtype.bits == 16 and "f16" in points else "f32"
    flat, nested = points[kind]["flat"], points[kind]["rows"]
    rows, inner = prod(view.valid[:-1]), ceil(row_bytes(view) / _REPEAT_BYTES)
    if view.valid[-1] == view.physical[-1] and entry["curve"] != "row_reduction":
        return float(flat[0] * ceil(_bytes(view) / _REPEAT_BYTES) + flat[1])
    return float((nested[0] * inner + nested[1]) * rows + nested[2])


def fixed(entry: Figures, figures: Figures, context: Context) -> float:
    """A register instruction in the steady state: its throughput."""
    return float(entry["cycles"])


def nothing(entry: Figures, figures: Figures, context: Context) -> float:
    """Another name for the same bytes."""
    return 1.0


RULES: dict[str, Rule] = {
    "repeats": by_repeats,
    "row_reduction": row_reduction,
    "column_reduction": column_reduction,
    "transfer": transfer,
    "cube": cube,
    "curve": curve,
    "fixed": fixed,
    "nothing": nothing,
}
