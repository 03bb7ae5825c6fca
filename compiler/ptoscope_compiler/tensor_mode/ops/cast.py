"""`cast` (`vector/tensor_transformation.cpp`)."""

from __future__ import annotations

from collections.abc import Mapping

from ...diagnostics.rules import pt404_unsupported_cast
from ...dtype import BY_NAME, FP32, DType
from ...evaluate.values import Value
from ..call import Call
from .primitives import cast, check_operand, result
from .registry import Operation, declare

_A2A3 = {
    "FP16": "FP32 INT32 INT16 INT8 UINT8 INT4", "BF16": "FP32 INT32", "INT32": "FP32 INT16 INT64 FP16",
    "FP32": "BF16 FP16 INT16 INT32 INT64", "UINT8": "FP16", "INT8": "FP16", "INT16": "FP32 FP16", "INT64": "FP32 INT32",
    "INT4": "FP16",
}  # fmt: skip
_950 = {
    "FP32": "FP16 BF16 INT16 INT32 INT64 FP8E4M3 FP8E5M2 HF8", "FP16": "FP32 INT32 INT16 INT8 UINT8 HF8",
    "BF16": "FP32 INT32 FP16 FP4_E1M2X2 FP4_E2M1X2", "UINT8": "FP16 UINT16", "INT8": "FP16 INT16 INT32",
    "INT16": "UINT8 FP16 FP32 UINT32 INT32", "INT32": "FP32 INT16 UINT16 INT64 UINT8 FP16",
    "UINT32": "UINT8 UINT16 INT16", "INT64": "FP32 INT32", "FP8E4M3": "FP32", "FP8E5M2": "FP32", "HF8": "FP32",
    "FP4_E1M2X2": "BF16", "FP4_E2M1X2": "BF16",
}  # fmt: skip


def _table(text: Mapping[str, str]) -> dict[DType, frozenset[DType]]:
    return {
        BY_NAME[f"DT_{source}"]: frozenset(BY_NAME[f"DT_{name}"] for name in names.split())
        for source, names in text.items()
    }


_CONVERSIONS = {"3510": _table(_950)}
_DEFAULT = _table(_A2A3)


def conversions(architecture: str, source: DType) -> frozenset[DType]:
    """Types that `source` can be cast to in one step."""
    return _CONVERSIONS.get(architecture, _DEFAULT).get(source, frozenset())


def _cast(call: Call) -> Value:
    operand = check_operand(call, "input", None)
    dtype, mode, saturation = call.dtype("dtype"), call.enumerator("mode"), call.enumerator("satmode")
    if operand.dtype == dtype:
        if mode in (0, 1):
            return call.value("input")
    elif dtype not in conversions(call.tracer.target.arch, operand.dtype):
        _reject(call, operand.dtype, dtype)
    return result(call, cast(call, operand, dtype, mode, saturation))


def _reject(call: Call, source: DType, dtype: DType) -> None:
    target = call.tracer.target
    steps = conversions(target.arch, source)
    between = sorted((step for step in steps if dtype in conversions(target.arch, step)), key=str)
    suggestion = FP32 if FP32 in between else between[0] if between else "another type"
    call.reject(
        pt404_unsupported_cast.RULE,
        source=source,
        destination=dtype,
        target=target.name,
        suggestion=suggestion,
    )


declare(
    Operation(
        "pypto.cast", "cast", _cast, "Convert to another element type.", "转换为另一种元素类型。",
        opcodes=("CAST",), rules=("PT302", "PT312", "PT404", "PT405"),
    )
)  # fmt: skip
