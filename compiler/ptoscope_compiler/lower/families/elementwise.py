"""One or two tiles, or a tile and a scalar, element by element.

Source: `framework/src/interface/tileop/vector/{binary,binary_brcinline,binary_scalar,unary,pair_binary}.h` of
hicann/pypto.
"""

from __future__ import annotations

from ...ir.graph import Operation
from ..operands import scalar
from ..registry import Stream, lowers

BINARY = {
    "ADD": "ADD", "SUB": "SUB", "MUL": "MUL", "DIV": "DIV", "MAXIMUM": "MAX", "MINIMUM": "MIN", "MOD": "FMOD",
    "REM": "REM", "BITWISEAND": "AND", "BITWISEOR": "OR", "BITWISEXOR": "XOR", "BITWISERIGHTSHIFT": "SHR",
    "BITWISELEFTSHIFT": "SHL", "POW": "POW",
}  # fmt: skip
WITH_SCALAR = {
    "ADDS": "ADD", "SUBS": "SUB", "MULS": "MUL", "DIVS": "DIV", "MAXS": "MAX", "MINS": "MIN", "MODS": "FMOD",
    "REMS": "REM", "BITWISEANDS": "AND", "BITWISEORS": "OR", "BITWISEXORS": "XOR", "BITWISERIGHTSHIFTS": "SHR",
    "BITWISELEFTSHIFTS": "SHL", "POWS": "POW",
}  # fmt: skip
UNARY = {
    "EXP": "TEXP", "LN": "TLOG", "SQRT": "TSQRT", "RSQRT": "TRSQRT", "RECIPROCAL": "TRECIP", "ABS": "TABS",
    "NEG": "TNEG", "RELU": "TRELU", "BITWISENOT": "TNOT",
}  # fmt: skip
ROUNDING = {"CEIL": "CAST_CEIL", "FLOOR": "CAST_FLOOR", "TRUNC": "CAST_TRUNC"}
PAIRS = {"PAIRMAX": "TPARTMAX", "PAIRMIN": "TPARTMIN", "PAIRSUM": "TPARTADD", "PAIRPROD": "TPARTMUL"}
_SAME_SHAPE_PAIRS = {"PAIRMAX": "TMAX", "PAIRMIN": "TMIN", "PAIRSUM": "TADD", "PAIRPROD": "TMUL"}


@lowers(*BINARY, "EXPANDEXPDIF")
def binary(stream: Stream, operation: Operation) -> None:
    """An operand with one column, or one row, is repeated by the instruction itself."""
    name = BINARY.get(operation.opcode, "EXPDIF")
    left, right = operation.inputs[:2]
    rank = operation.outputs[0].rank
    sides = operation.attribute("op_attr_brc_operand") or [0] * rank
    if sides[-1]:
        opcode = f"TROWEXPAND{name}"
    elif any(sides) or name == "EXPDIF":
        opcode = f"TCOLEXPAND{name}"
    else:
        opcode = f"T{name}"
    stream.emit(
        operation,
        opcode,
        operation.outputs[:1],
        (left, right),
        precision=operation.attribute("precision_type"),
    )


@lowers(*WITH_SCALAR, *(f"S_{opcode}" for opcode in WITH_SCALAR))
def with_scalar(stream: Stream, operation: Operation) -> None:
    value = scalar(operation.attributes["SCALAR"])
    pair = (operation.inputs[0], value)
    inputs = pair[::-1] if operation.attribute("op_attr_reverseOperand") else pair
    stream.emit(
        operation,
        f"T{WITH_SCALAR[operation.opcode.removeprefix('S_')]}S",
        operation.outputs[:1],
        inputs,
        precision=operation.attribute("precision_type"),
    )


@lowers("REMRS")
def remainder_of_scalar(stream: Stream, operation: Operation) -> None:
    stream.emit(
        operation, "TREMS", operation.outputs[:1], (scalar(operation.attributes["SCALAR"]), operation.inputs[0])
    )


@lowers(*UNARY)
def unary(stream: Stream, operation: Operation) -> None:
    precision = operation.attribute("precision_type")
    stream.emit(operation, UNARY[operation.opcode], operation.outputs[:1], operation.inputs[:1], precision=precision)


@lowers(*ROUNDING)
def to_integral(stream: Stream, operation: Operation) -> None:
    stream.emit(operation, "TCVT", operation.outputs[:1], operation.inputs[:1], round=ROUNDING[operation.opcode])


@lowers("ROUND")
def round_to_decimals(stream: Stream, operation: Operation) -> None:
    result, source = operation.outputs[0], operation.inputs[0]
    decimals = operation.attribute("op_attr_decimals", 0)
    power = 10.0**decimals if decimals else 1
    if power != 1:
        stream.emit(operation, "TMULS", (result,), (source, power))
        source = result
    stream.emit(operation, "TCVT", (result,), (source,), round="CAST_RINT")
    if power != 1:
        stream.emit(operation, "TDIVS", (result,), (result, power))


@lowers("LRELU")
def leaky_relu(stream: Stream, operation: Operation) -> None:
    slope = scalar(operation.attributes["SCALAR"])
    stream.emit(operation, "TLRELU", operation.outputs[:1], (operation.inputs[0], slope))


@lowers(*PAIRS)
def pair(stream: Stream, operation: Operation) -> None:
    """Two parts of a tile; where one is shorter, the rest of the other is kept."""
    left, right = operation.inputs
    same = left.valid_shape == right.valid_shape
    table = _SAME_SHAPE_PAIRS if same else PAIRS
    stream.emit(operation, table[operation.opcode], operation.outputs[:1], (left, right))
