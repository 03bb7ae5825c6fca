"""`matmul` (`python/pypto/op/matmul.py`, `framework/src/interface/operation/cube_operation_impl.cpp`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from ...diagnostics.diagnostic import Facts
from ...diagnostics.rules import (
    pt301_shapes_do_not_broadcast,
    pt302_unsupported_rank,
    pt303_matmul_inner_mismatch,
    pt402_mixed_dtypes,
)
from ...dtype import BF16, BY_NAME, FP16, FP32, INT8, INT32, DType
from ...evaluate.values import Value
from ...hardware import MemorySpace
from ...ir.graph import CubeTile, LogicalTensor
from ...scalar import ScalarLike, apply, known, mul
from ..call import Call
from ..cube_tiles import check_cube_tile
from ..element import Element
from ..errors import Undecided
from ..text import shape_text
from .binary import combine
from .primitives import check_operand, emit, filled, reshaped, result
from .registry import Operation, declare, dtypes
from .structure import assembled, viewed

_FP8 = frozenset(BY_NAME[f"DT_{name}"] for name in ("FP8E4M3", "FP8E5M2"))
_TYPES = dtypes((FP16, BF16, FP32, INT8), (FP16, BF16, FP32, INT8, *_FP8, BY_NAME["DT_HF8"]))
_FRAMEWORK_TILE = 128
"""Vector tile of the reshapes and additions that the framework adds to a product."""


@dataclass(frozen=True, slots=True)
class Extras:
    """`extend_params`: a bias to add, and what the fix pipe does to the result."""

    bias: LogicalTensor | None = None
    scale_tensor: LogicalTensor | None = None
    scale: float = 0.0
    relu: int = 0
    trans_mode: int = 0


@dataclass(frozen=True, slots=True)
class Product:
    """One product of two matrices: result type, transpose flags, extras."""

    dtype: DType
    transpose_a: bool
    transpose_b: bool
    extras: Extras

    def rows(self, sizes: Sequence[ScalarLike]) -> ScalarLike:
        return sizes[-1] if self.transpose_a else sizes[-2]

    def columns(self, sizes: Sequence[ScalarLike]) -> ScalarLike:
        return sizes[-2] if self.transpose_b else sizes[-1]

    def inner_a(self, sizes: Sequence[ScalarLike]) -> ScalarLike:
        return sizes[-2] if self.transpose_a else sizes[-1]

    def inner_b(self, sizes: Sequence[ScalarLike]) -> ScalarLike:
        return sizes[-1] if self.transpose_b else sizes[-2]

    def attributes(self, accumulates: bool) -> Mapping[str, Any]:
        return {
            "op_attr_trans_a": self.transpose_a,
            "op_attr_trans_b": self.transpose_b,
            "op_attr_has_bias": self.extras.bias is not None,
            "op_attr_relu_type": self.extras.relu,
            "op_attr_trans_mode": self.extras.trans_mode,
            "op_attr_gm_acc": accumulates,
            **({"SCALAR": self.extras.scale} if self.extras.scale else {}),
        }


def _matmul(call: Call) -> Value:
    left = check_operand(call, "input", _TYPES, (2, 4), formats=False)
    right = check_operand(call, "mat2", _TYPES, (2, 4), formats=False)
    product = Product(call.dtype("out_dtype"), call.boolean("a_trans"), call.boolean("b_trans"), _extras(call))
    _check(call, left, right, product)
    tile = check_cube_tile(call, left, right, product.transpose_a)
    if left.rank == 2:
        value = _accumulated(call, left, right, product, tile) if tile.split_k else _single(call, left, right, product)
        return result(call, value)
    return result(call, _batched(call, left, right, product, tile))


def _extras(call: Call) -> Extras:
    given = call.value("extend_params")
    if given is None:
        return Extras()
    if not isinstance(given, dict):
        call.wrong_type("extend_params", "a dict", "字典")
    tensors = {}
    for key in ("bias_tensor", "scale_tensor"):
        if given.get(key) is not None:
            call.arguments = {**call.arguments, key: given[key]}
            tensors[key] = call.read(key)
    scale = given.get("scale", 0.0)
    if isinstance(scale, Element):
        scale = scale.value
    if not isinstance(scale, (int, float)):
        raise Undecided
    modes = {}
    for key in ("relu_type", "trans_mode"):
        if given.get(key) is not None:
            call.arguments = {**call.arguments, key: given[key]}
            modes[key] = call.enumerator(key)
    bias, factors = tensors.get("bias_tensor"), tensors.get("scale_tensor")
    return Extras(bias, factors, float(scale), modes.get("relu_type", 0), modes.get("trans_mode", 0))


def _check(call: Call, left: LogicalTensor, right: LogicalTensor, product: Product) -> None:
    if left.rank != right.rank:
        call.reject(
            pt302_unsupported_rank.RULE,
            call.place("mat2"),
            operation="matmul",
            rank=right.rank,
            shape=shape_text(right.shape),
            least=left.rank,
            most=left.rank,
        )
    if left.dtype != right.dtype and not (left.dtype in _FP8 and right.dtype in _FP8):
        call.reject(pt402_mixed_dtypes.RULE, operation="matmul", left=left.dtype, right=right.dtype)
    for sizes_a, sizes_b in ((left.shape, right.shape), (left.valid_shape, right.valid_shape)):
        inner_a, inner_b = product.inner_a(sizes_a), product.inner_b(sizes_b)
        if known(inner_a) and known(inner_b) and inner_a != inner_b:
            call.reject(
                pt303_matmul_inner_mismatch.RULE,
                facts=Facts(operation="matmul"),
                left=_flagged(sizes_a, "a_trans", product.transpose_a),
                left_size=inner_a,
                right=_flagged(sizes_b, "b_trans", product.transpose_b),
                right_size=inner_b,
            )
    for axis in range(left.rank - 2):
        a, b = left.shape[axis], right.shape[axis]
        if a != b and 1 not in (a, b):
            call.reject(
                pt301_shapes_do_not_broadcast.RULE,
                operation="matmul",
                left=shape_text(left.shape),
                right=shape_text(right.shape),
                axis=axis,
                left_size=a,
                right_size=b,
            )


def _flagged(sizes: Sequence[ScalarLike], flag: str, transposed: bool) -> str:
    return shape_text(sizes) + (f" with {flag}" if transposed else "")


def _multiply(
    call: Call,
    left: LogicalTensor,
    right: LogicalTensor,
    product: Product,
    valid_shape: Sequence[ScalarLike],
    accumulator: LogicalTensor | None = None,
) -> LogicalTensor:
    extras = (accumulator, product.extras.bias, product.extras.scale_tensor)
    inputs = (left, right, *(tensor for tensor in extras if tensor is not None))
    shape = (product.rows(left.shape), product.columns(right.shape))
    return emit(call, "A_MUL_B", inputs, shape, product.dtype, valid_shape, product.attributes(accumulator is not None))


def _single(call: Call, left: LogicalTensor, right: LogicalTensor, product: Product) -> LogicalTensor:
    valid = (product.rows(left.valid_shape), product.columns(right.valid_shape))
    return _multiply(call, left, right, product, valid)


def _batched(call: Call, left: LogicalTensor, right: LogicalTensor, product: Product, tile: CubeTile) -> LogicalTensor:
    batch = tuple(max(a, b) for a, b in zip(left.shape[:-2], right.shape[:-2], strict=True))  # type: ignore[type-var]
    matrix = (product.rows(left.shape), product.columns(right.shape))
    valid_matrix = (product.rows(left.valid_shape), product.columns(right.valid_shape))
    valid_batch = tuple(apply("max", a, b) for a, b in zip(left.valid_shape[:-2], right.valid_shape[:-2], strict=True))
    total = call.tracer.new((*batch, *matrix), product.dtype, (*valid_batch, *valid_matrix))
    framework_tile = (*(1,) * len(batch), _FRAMEWORK_TILE, _FRAMEWORK_TILE)
    with call.session.configuration.vector_tile(framework_tile):
        for index in _indices(batch):
            a, present_a = _matrix_of(call, left, index)
            b, present_b = _matrix_of(call, right, index)
            present = tuple(b if size == 1 else a for size, a, b in zip(left.shape, present_a, present_b, strict=False))
            one = Product(product.dtype, product.transpose_a, product.transpose_b, _extras_at(call, product, index))
            value = _multiply(call, a, b, one, (_product(present, valid_matrix[0]), valid_matrix[1]))
            value.raw.name = "cTensorSingleBatch"
            slab = reshaped(call, value, (*(1,) * len(batch), *matrix), (*present, *valid_matrix))
            assembled(call, slab, total, (*index, 0, 0), parallel=False)
    return total


def _indices(batch: Sequence[Any]) -> list[tuple[int, ...]]:
    indices: list[tuple[int, ...]] = [()]
    for size in batch:
        indices = [(*index, at) for index in indices for at in range(size)]
    return indices


def _product(factors: Sequence[ScalarLike], start: ScalarLike) -> ScalarLike:
    return reduce(mul, factors, start)


def _matrix_of(
    call: Call, operand: LogicalTensor, index: tuple[int, ...]
) -> tuple[LogicalTensor, Sequence[ScalarLike]]:
    """The matrix of one batch entry, and per batch axis 1 where it is valid, 0 where it lies behind the valid batch."""
    place = tuple(0 if size == 1 else at for at, size in zip(index, operand.shape, strict=False))
    ones = (1,) * len(index)
    slab = viewed(call, operand, (*ones, *operand.shape[-2:]), (*place, 0, 0))
    present = slab.valid_shape[: len(index)]
    valid = (_product(present, operand.valid_shape[-2]), _product(present, operand.valid_shape[-1]))
    return reshaped(call, slab, operand.shape[-2:], valid), present


def _extras_at(call: Call, product: Product, index: tuple[int, ...]) -> Extras:
    extras = product.extras
    batched = len(index) + 2

    def matrix(tensor: LogicalTensor | None) -> LogicalTensor | None:
        return tensor if tensor is None or tensor.rank != batched else _matrix_of(call, tensor, index)[0]

    return Extras(matrix(extras.bias), matrix(extras.scale_tensor), extras.scale, extras.relu, extras.trans_mode)


def _accumulated(
    call: Call, left: LogicalTensor, right: LogicalTensor, product: Product, tile: CubeTile
) -> LogicalTensor:
    """Split K: partial products of `L1` tiles along K, added up; int32 adds atomically in global memory."""
    size = product.inner_a(left.shape)
    assert isinstance(size, int)
    step = min(size, tile.k[1], tile.k[2])
    valid = (product.rows(left.valid_shape), product.columns(right.valid_shape))
    shape = (product.rows(left.shape), product.columns(right.shape))
    fits = tile.m[0] * tile.n[0] * product.dtype.bytes * 2 <= call.tracer.target.capacity(MemorySpace.UB)
    vector = (tile.m[0], tile.n[0]) if fits or product.dtype == INT32 else (_FRAMEWORK_TILE, _FRAMEWORK_TILE)
    with call.session.configuration.vector_tile(vector):
        accumulator = filled(call, shape, INT32, 0, valid) if product.dtype == INT32 else None
        parts = []
        for start in range(0, size, step):
            extent = min(step, size - start)
            a = _slab(call, left, extent, start, inner_first=product.transpose_a)
            b = _slab(call, right, extent, start, inner_first=not product.transpose_b)
            parts.append(_multiply(call, a, b, product, valid, accumulator))
        if accumulator is not None:
            return emit(call, "REDUCE_ACC", parts, shape, product.dtype, valid, {"op_attr_reduce_mode": 0})
        total = parts[0]
        for part in parts[1:]:
            total = combine(call, "ADD", total, part)
        return total


def _slab(call: Call, operand: LogicalTensor, extent: int, start: int, inner_first: bool) -> LogicalTensor:
    other = operand.shape[1 if inner_first else 0]
    shape = (extent, other) if inner_first else (other, extent)
    return viewed(call, operand, shape, (start, 0) if inner_first else (0, start))


declare(
    Operation(
        "pypto.matmul", "cube", _matmul, "Matrix product, in batches from rank 3.", "矩阵乘，3 维起按批。",
        shape="(..., M, N); batch axes broadcast", valid_shape="(..., M of the first, N of the second)",
        dtypes=_TYPES, ranks=(2, 4), opcodes=("A_MUL_B", "VIEW", "RESHAPE", "ASSEMBLE", "ADD", "VEC_DUP", "REDUCE_ACC"),
        rules=("PT102", "PT103", "PT201", "PT301", "PT302", "PT303", "PT401", "PT402"),
    )
)  # fmt: skip
