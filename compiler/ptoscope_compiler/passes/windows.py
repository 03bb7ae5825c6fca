"""Windows of logical tensors, and how much of them is valid.

Source: `GetViewValidShape` in `framework/src/interface/tensor/logical_tensor.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.graph import LogicalTensor
from ..scalar import Expression, ScalarLike, add, maximum, minimum, sub

Extents = tuple[int, ...]


def valid_extent(valid: ScalarLike, offset: ScalarLike, size: ScalarLike) -> ScalarLike:
    """How much of `[offset, offset + size)` lies below `valid`."""
    if offset == 0:
        return _capped(valid, size)
    return maximum(minimum(sub(valid, offset), size), 0)


def _capped(valid: ScalarLike, size: ScalarLike) -> ScalarLike:
    """The smaller of the two; a cap on a cap is one cap, so that windows of windows print like windows."""
    if isinstance(valid, Expression) and isinstance(size, int):
        inner, bound = valid.operands[0], valid.operands[-1]
        if valid.operator == "min" and isinstance(bound, int):
            return minimum(inner, min(bound, size))
        if valid.operator == "max" and bound == 0:
            return maximum(_capped(inner, size), 0)
    return minimum(valid, size)


def valid_window(
    valid: Sequence[ScalarLike], offset: Sequence[ScalarLike], shape: Sequence[ScalarLike]
) -> tuple[ScalarLike, ...]:
    """The valid shape of a window at `offset` of a tensor whose valid shape is `valid`."""
    return tuple(valid_extent(v, o, s) for v, o, s in zip(valid, offset, shape, strict=True))


def shifted(offset: Sequence[ScalarLike], by: Sequence[ScalarLike]) -> tuple[ScalarLike, ...]:
    """The sum of two offsets, axis by axis."""
    return tuple(add(left, right) for left, right in zip(offset, by, strict=True))


def static_shape(shape: Sequence[ScalarLike]) -> Extents | None:
    """`shape` if every dimension is known now."""
    return tuple(shape) if all(isinstance(extent, int) for extent in shape) else None  # type: ignore[arg-type]


@dataclass(slots=True, eq=False)
class Window:
    """A part of a tensor that an operation reads or writes; `tensor` is the tile that stands for it, once made."""

    parent: LogicalTensor
    shape: Extents
    offset: Extents
    tensor: LogicalTensor | None = None

    def window(self, shape: Extents, offset: Extents) -> Window:
        """A part of this part."""
        return Window(self.parent, shape, tuple(a + b for a, b in zip(self.offset, offset, strict=True)))

    @property
    def valid_shape(self) -> tuple[ScalarLike, ...]:
        return valid_window(self.parent.valid_shape, self.offset, self.shape)
