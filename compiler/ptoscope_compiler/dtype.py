"""Element types of both modes, under one set of names.

Names and widths: `framework/include/tilefwk/data_type.h` of hicann/pypto and PTO-ISA `docs/isa`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What an element is, for rules such as "exp has no integer form"."""

    FLOAT = "float"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class DType:
    """One element type. `bits` is the storage width; `numpy` names the numpy or ml_dtypes type that holds it."""

    name: str
    bits: int
    kind: Kind
    numpy: str
    pto: str

    @property
    def bytes(self) -> int:
        """Bytes per element, rounded up for sub-byte types."""
        return (self.bits + 7) // 8

    @property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_integer(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"DType({self.name})"


_TABLE = (
    DType("DT_INT4", 4, Kind.SIGNED, "int4", "i4"),
    DType("DT_INT8", 8, Kind.SIGNED, "int8", "i8"),
    DType("DT_INT16", 16, Kind.SIGNED, "int16", "i16"),
    DType("DT_INT32", 32, Kind.SIGNED, "int32", "i32"),
    DType("DT_INT64", 64, Kind.SIGNED, "int64", "i64"),
    DType("DT_UINT4", 4, Kind.UNSIGNED, "uint4", "u4"),
    DType("DT_UINT8", 8, Kind.UNSIGNED, "uint8", "u8"),
    DType("DT_UINT16", 16, Kind.UNSIGNED, "uint16", "u16"),
    DType("DT_UINT32", 32, Kind.UNSIGNED, "uint32", "u32"),
    DType("DT_UINT64", 64, Kind.UNSIGNED, "uint64", "u64"),
    DType("DT_BOOL", 8, Kind.BOOLEAN, "bool", "i1"),
    DType("DT_FP8E4M3", 8, Kind.FLOAT, "float8_e4m3fn", "f8e4m3"),
    DType("DT_FP8E5M2", 8, Kind.FLOAT, "float8_e5m2", "f8e5m2"),
    DType("DT_FP8E8M0", 8, Kind.FLOAT, "float8_e8m0fnu", "f8e8m0"),
    DType("DT_HF8", 8, Kind.FLOAT, "uint8", "hif8"),
    DType("DT_HF4", 4, Kind.FLOAT, "uint8", "hif4"),
    DType("DT_FP4_E2M1", 4, Kind.FLOAT, "float4_e2m1fn", "f4e2m1"),
    DType("DT_FP4_E1M2", 4, Kind.FLOAT, "uint8", "f4e1m2"),
    DType("DT_FP4_E2M1X2", 8, Kind.FLOAT, "uint8", "f4e2m1x2"),
    DType("DT_FP4_E1M2X2", 8, Kind.FLOAT, "uint8", "f4e1m2x2"),
    DType("DT_FP16", 16, Kind.FLOAT, "float16", "f16"),
    DType("DT_BF16", 16, Kind.FLOAT, "bfloat16", "bf16"),
    DType("DT_FP32", 32, Kind.FLOAT, "float32", "f32"),
)

BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in _TABLE}
BY_NAME["DT_FP8E4M3FN"] = BY_NAME["DT_FP8E4M3"]  # the spelling of Pro mode
BY_NAME["DT_FP4E2M1"] = BY_NAME["DT_FP4_E2M1"]
BY_NAME["DT_FP4E1M2"] = BY_NAME["DT_FP4_E1M2"]

INT8, INT16, INT32, INT64 = (BY_NAME[f"DT_INT{bits}"] for bits in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (BY_NAME[f"DT_UINT{bits}"] for bits in (8, 16, 32, 64))
BOOL, FP16, BF16, FP32 = (BY_NAME[f"DT_{name}"] for name in ("BOOL", "FP16", "BF16", "FP32"))
