"""What the loops under way say of their indices, to prove that a region lies within its tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scalar import ScalarLike, Symbol, add, apply, known, linear, mul, sub


@dataclass(frozen=True, slots=True)
class Range:
    """An index from `low` to `high`, both included."""

    low: ScalarLike
    high: ScalarLike


class Bounds:
    """Ranges of loop indices, the innermost last."""

    def __init__(self) -> None:
        self._ranges: list[tuple[Symbol, Range]] = []

    def push(self, index: Symbol, start: ScalarLike, stop: ScalarLike, step: ScalarLike) -> None:
        """Enter a loop. With a positive step the index lies below `stop`; otherwise nothing is known of it."""
        if isinstance(step, int) and step > 0:
            self._ranges.append((index, Range(start, sub(stop, 1))))
        else:
            self._ranges.append((index, Range(index, index)))

    def pop(self) -> None:
        self._ranges.pop()

    def least(self, value: ScalarLike) -> ScalarLike:
        """A value that `value` is never below, free of indices where their ranges say so."""
        for index, bounds in reversed(self._ranges):
            form = linear(value)
            if form is None:
                return value
            factor = form[0].get(index, 0)
            if factor:
                edge = bounds.low if factor > 0 else bounds.high
                value = add(value, mul(factor, sub(edge, index)))
        return value

    def at_least_zero(self, value: ScalarLike) -> bool:
        """Whether `value` is provably never negative."""
        least = self.least(value)
        return known(least) and least >= 0  # type: ignore[operator]


def clipped(
    bounds: Bounds, valid: Sequence[ScalarLike], offsets: Sequence[ScalarLike], shape: Sequence[ScalarLike]
) -> tuple[ScalarLike, ...]:
    """Valid shape of a region: what of `shape` at `offsets` lies within `valid`, at least 0."""
    return tuple(_clip(bounds, *axis) for axis in zip(valid, offsets, shape, strict=False))


def _clip(bounds: Bounds, valid: ScalarLike, offset: ScalarLike, size: ScalarLike) -> ScalarLike:
    rest = sub(valid, offset)
    if bounds.at_least_zero(sub(rest, size)):
        return size
    inside = apply("min", rest, size)
    return inside if bounds.at_least_zero(rest) else apply("max", inside, 0)
