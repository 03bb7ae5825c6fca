"""A_MUL_B: for each tile of the result, tiles of A and B go through L1 to L0 and are accumulated along K.

Source: `ConstructTileGraph` in `framework/src/interface/operation/cube_operation_impl.cpp` of hicann/pypto.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...dtype import FP32, INT8, INT32, DType
from ...hardware import MemorySpace
from ...ir.graph import CubeTile, LogicalTensor, Operation
from ..windows import Extents, Window
from .registry import Expansion, MissingTile, Operand, expands, extents

_LITE = frozenset({"3003", "3113"})


@dataclass(frozen=True, slots=True)
class _Side:
    """One factor: its tensor, whether it is stored transposed, and its names and memories."""

    tensor: LogicalTensor
    transposed: bool
    name: str
    level0: MemorySpace
    k_first: bool
    k_tile: int
    """K elements of one L1 tile."""

    def place(self, outer: int, k: int) -> Extents:
        """(outer, k) in the order in which the tensor stores them; `outer` counts along M or N."""
        return (k, outer) if self.k_first != self.transposed else (outer, k)


@dataclass(frozen=True, slots=True)
class _Step:
    """The ranges that one multiplication covers."""

    k: int
    k_size: int
    k_total: int
    tile: CubeTile

    @property
    def first(self) -> bool:
        return self.k == 0

    @property
    def last(self) -> bool:
        return self.k + self.tile.k[0] >= self.k_total


class _Product:
    """The expansion of one A_MUL_B."""

    def __init__(self, expansion: Expansion, operation: Operation) -> None:
        if operation.tiles.cube is None:
            raise MissingTile(operation.opcode)
        self.expansion, self.operation, self.tile = expansion, operation, operation.tiles.cube
        attribute = operation.attribute
        a, b, *rest = operation.inputs
        self.a = _Side(a, bool(attribute("op_attr_trans_a")), "aL", MemorySpace.L0A, False, self.tile.k[1])
        self.b = _Side(b, bool(attribute("op_attr_trans_b")), "bL", MemorySpace.L0B, True, self.tile.k[2])
        self.bias = rest.pop(0) if attribute("op_attr_has_bias") else None
        self.scale = rest.pop(0) if attribute("op_attr_vector_quant_flag") else None
        self.accumulator = rest.pop(0) if attribute("op_attr_gm_acc") else None

    def run(self) -> None:
        m, k = self.a.place(*extents(self.a.tensor))
        n = extents(self.b.tensor)[0 if self.b.transposed else 1]
        result = self.operation.outputs[0]
        step_m, step_n = self.tile.m[0], self.tile.n[0]
        for start_n in range(0, n, step_n):
            for start_m in range(0, m, step_m):
                size = (min(step_m, m - start_m), min(step_n, n - start_n))
                self._block(Window(result, size, (start_m, start_n)), k)

    def _block(self, result: Window, k_total: int) -> None:
        """One tile of the result."""
        bias = self._row(self.bias, result, "biasL1Tensor", "biasBtTensor", MemorySpace.BT, self._bias_type())
        scale = self._row(self.scale, result, "scaleL1Tensor", "scaleFbTensor", MemorySpace.FB, None)
        level1: dict[str, LogicalTensor] = {}
        partial: LogicalTensor | None = None
        for k in range(0, k_total, self.tile.k[0]):
            step = _Step(k, min(self.tile.k[0], k_total - k), k_total, self.tile)
            left = self._factor(self.a, level1, result.shape[0], result.offset[0], step)
            right = self._factor(self.b, level1, result.shape[1], result.offset[1], step)
            inputs: list[Operand] = [left, right]
            if partial is not None:
                inputs.append(partial)
            inputs += self._extras(step, bias, scale, result)
            partial = None if step.last else self._partial(result, left, right)
            output: Operand = result if partial is None else partial
            self.expansion.emit("A_MUL_B" if step.first else "A_MULACC_B", inputs, (output,), self._details(step))

    def _extras(
        self, step: _Step, bias: LogicalTensor | None, scale: LogicalTensor | None, result: Window
    ) -> list[Operand]:
        if self.accumulator is not None:
            return [Window(self.accumulator, result.shape, result.offset)]
        present = (bias if step.first else None, scale if step.last else None)
        return [tensor for tensor in present if tensor is not None]

    def _factor(
        self, side: _Side, level1: dict[str, LogicalTensor], size: int, offset: int, step: _Step
    ) -> LogicalTensor:
        """The L0 tile of one factor, cut out of an L1 tile that is loaded once per `side.k_tile` elements of K."""
        within = step.k % side.k_tile
        if within == 0:
            depth = min(side.k_tile, step.k_total - step.k)
            window = Window(side.tensor, side.place(size, depth), side.place(offset, step.k))
            k_axis = side.place(0, 1).index(1)
            details = {"op_attr_copy_in_l1_padding_mode": 0, "op_attr_copy_in_l1_k_index": k_axis}
            level1[side.name] = self._move(window, f"{side.name}1Tensor", MemorySpace.L1, details)
        source = level1[side.name]
        window = Window(source, side.place(size, step.k_size), side.place(0, within))
        to_level0: dict[str, Any] = {
            "op_attr_l1_to_l0_transpose": side.transposed,
            "op_attr_l1_to_l0_offset": window.offset,
            "op_attr_l1_to_l0_tile": window.shape,
            "op_attr_is_mx": False,
        }
        return self._move(window, f"{side.name}0Tensor", side.level0, to_level0, transposed=side.transposed)

    def _row(
        self,
        row: LogicalTensor | None,
        result: Window,
        name: str,
        inner_name: str,
        memory: MemorySpace,
        dtype: DType | None,
    ) -> LogicalTensor | None:
        """Bias or scale of one tile of the result, brought through L1."""
        if row is None:
            return None
        window = Window(row, (1, result.shape[1]), (0, result.offset[1]))
        level1 = self._move(window, name, MemorySpace.L1, {"op_attr_copy_in_mode": 0})
        inner = Window(level1, window.shape, (0, 0))
        return self._move(inner, inner_name, memory, {}, dtype=dtype)

    def _move(
        self,
        window: Window,
        name: str,
        to: MemorySpace,
        details: dict[str, Any],
        transposed: bool = False,
        dtype: DType | None = None,
    ) -> LogicalTensor:
        turn = slice(None, None, -1) if transposed else slice(None)
        raw = window.parent.raw
        builder = self.expansion.builder
        storage = builder.raw(window.shape[turn], dtype or raw.dtype, name, format=raw.format)
        tensor = builder.tensor(storage, valid_shape=window.valid_shape[turn])
        self.expansion.cut(window, tensor, to, details)
        return tensor

    def _partial(self, result: Window, left: LogicalTensor, right: LogicalTensor) -> LogicalTensor:
        valid = (left.valid_shape[0], right.valid_shape[1])
        return self.expansion.builder.new(result.shape, result.parent.dtype, valid_shape=valid)

    def _bias_type(self) -> DType | None:
        if self.expansion.architecture in _LITE:
            return None
        return INT32 if self.a.tensor.dtype is INT8 else FP32

    def _details(self, step: _Step) -> dict[str, Any]:
        dropped = {"op_attr_trans_a", "op_attr_trans_b"}
        if not step.first:
            dropped |= {"op_attr_has_bias"}
            if not step.last:
                dropped |= {"op_attr_relu_type", "op_attr_scale_value"}
        return {name: value for name, value in self.operation.attributes.items() if name not in dropped}


@expands("A_MUL_B")
def matmul(expansion: Expansion, operation: Operation) -> None:
    _Product(expansion, operation).run()
