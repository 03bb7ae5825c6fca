"""Replays recorded vectors of PTO-ISA's CPU simulator on the semantics of this package.

A set of vectors is a manifest (JSON: per case the C++ call, its parameters, its operands with types and layouts) and
arrays `in_<operand>` and `out_<operand>` of raw storage per case, in one .npz file per case or in one for all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from ptoscope_compiler.dtype import BY_NAME, DType
from ptoscope_compiler.hardware import Layout, MemorySpace
from ptoscope_compiler.pto.operands import Tile, TileType, Window
from ptoscope_compiler.scalar import Scalar, ScalarLike

from . import layouts
from .numeric import is_float
from .registry import Architecture, Array, Context, OperandView, semantics

_DTYPES = {
    "f32": "DT_FP32", "f16": "DT_FP16", "bf16": "DT_BF16", "fp8e4m3": "DT_FP8E4M3", "fp8e5m2": "DT_FP8E5M2",
    "e8m0": "DT_FP8E8M0", "fp4e2m1": "DT_FP4_E2M1", "i8": "DT_INT8", "u8": "DT_UINT8", "i16": "DT_INT16",
    "u16": "DT_UINT16", "i32": "DT_INT32", "u32": "DT_UINT32", "i64": "DT_INT64", "u64": "DT_UINT64",
}  # fmt: skip
_SPACES = {
    "Vec": MemorySpace.UB, "Mat": MemorySpace.L1, "Left": MemorySpace.L0A, "Right": MemorySpace.L0B,
    "Acc": MemorySpace.L0C, "Bias": MemorySpace.BT, "Scaling": MemorySpace.FB, "ScaleLeft": MemorySpace.L0A_MX,
    "ScaleRight": MemorySpace.L0B_MX,
}  # fmt: skip
_LAYOUTS = {
    ("RowMajor", "NoneBox"): Layout.ND, ("ColMajor", "NoneBox"): Layout.DN, ("ColMajor", "RowMajor"): Layout.NZ,
    ("RowMajor", "ColMajor"): Layout.ZN, ("RowMajor", "RowMajor"): Layout.ZZ, ("ColMajor", "ColMajor"): Layout.NN,
}  # fmt: skip
_ALSO_READ = frozenset({"TMULADDDST", "TFUSEDMULADD", "TFUSEDMULADDRELU", "TAXPY", "MSCATTER"})
_SCALAR_LAST = frozenset({"TADDDEQRELU", "TSELS"})
_SCALARS = ("scalar", "deqScale", "start", "diagonal")
_ATTRIBUTES = {
    "cmp": "compare", "mode": "round", "maskPattern": "pattern", "indexRow": "index_row", "indexCol": "index_col",
    "rowIdx": "index_row", "colIdx": "index_col", "blockLen": "block", "preQuantScalar": "pre_quant", "alg": "scale",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rules:
    """A target by its architecture alone."""

    arch: str


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded execution: operands by name, their raw storage before and after. Every extent is a number."""

    name: str
    opcode: str
    outputs: tuple[str, ...]
    inputs: tuple[Any, ...]
    attributes: Mapping[str, Any]
    operands: Mapping[str, Tile | Window]
    before: Mapping[str, Array]
    after: Mapping[str, Array]

    @property
    def dtype(self) -> str:
        """Element types of the first source and, where it differs, the first output."""
        source = next((self.operands[name] for name in self.inputs if isinstance(name, str)), None)
        names = [_short(_dtype(operand)) for operand in (source, self.operands[self.outputs[0]]) if operand is not None]
        return names[0] if names[0] == names[-1] else f"{names[0]} -> {names[-1]}"


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one output is from the record. `elements` counts those that differ by value within the valid region,
    `ulp` is the largest distance in units in the last place (in integer steps for integers); `outside` counts differing
    bytes beyond the valid region."""

    elements: int = 0
    ulp: int = 0
    outside: int = 0

    @property
    def equal(self) -> bool:
        return self.elements == 0 and self.outside == 0


@dataclass(slots=True)
class Comparison:
    """All outputs of one case against the record; `error` where the semantics raised."""

    case: Case
    outputs: dict[str, Difference] = field(default_factory=dict)
    error: str = ""

    @property
    def equal(self) -> bool:
        return not self.error and all(difference.equal for difference in self.outputs.values())

    @property
    def ulp(self) -> int:
        return max((difference.ulp for difference in self.outputs.values()), default=0)


def _short(dtype: DType) -> str:
    return next(short for short, name in _DTYPES.items() if BY_NAME[name] is dtype)


def _dtype(operand: Tile | Window) -> DType:
    return operand.type.dtype if isinstance(operand, Tile) else operand.dtype


def _operand(entry: Mapping[str, Any]) -> Tile | Window:
    dtype = BY_NAME[_DTYPES[entry["dt"]]]
    if entry["kind"] == "gm":
        layout = Layout(entry["layout"])
        return Window(entry["var"], dtype, tuple(entry["shape"]), tuple(entry["stride"]), 0, layout)
    pad = entry["pad"].removeprefix("PadValue::").lower()
    kind = TileType(
        dtype,
        (entry["rows"], entry["cols"]),
        _SPACES[entry["loc"]],
        _LAYOUTS[entry["bl"], entry["sl"]],
        entry["fr"],
        pad if pad in ("null", "zero", "max", "min") else "null",
    )
    return Tile(kind, 0, (entry["vr"], entry["vc"]), entry["var"])


def _attributes(entry: Mapping[str, Any]) -> dict[str, Any]:
    params = entry["params"]
    attributes = {_ATTRIBUTES.get(name, name): value for name, value in params.items()}
    if "sat" in params:
        attributes["saturate"] = params["sat"] == "ON"
    if entry["instruction"] == "TCVT":
        attributes.setdefault("round", "CAST_NONE" if "CAST_NONE" in entry["call"] else "CAST_RINT")
        attributes.setdefault("saturate", "SaturationMode::ON" in entry["call"])
    custom = re.search(r"Custom\((.*)f\)", str(params.get("pad", "")))
    if custom:
        attributes["value"] = float(custom[1])
    byte = re.search(r"BYTE_(\d)", entry["call"])
    if byte:
        attributes["byte"] = int(byte[1])
    if "T_dst, T_src, ReluPreMode" in entry["call"]:
        attributes["relu"] = True
    return attributes


def _inputs(entry: Mapping[str, Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
    """Names of input operands and scalars, in the order of the call; a destination that is also read follows."""
    name = entry["instruction"]
    call = next(part for part in entry["call"].split(";") if re.search(rf"\b({name}|dst_cm_load)", part))
    arguments = [part.strip(" &") for part in re.split(r"[,()]", re.sub(r"^(.*?)\b(\w+)(<.*?>)?\(", "", call.strip()))]
    known = {operand["var"] for operand in entry["operands"]} - set(entry["outputs"]) - {"tmp"}
    scalar: list[Any] = [entry["params"][key] for key in _SCALARS if key in entry["params"]]
    if entry["params"].get("form") == "scalar/tile":
        sources: list[Any] = scalar + [part for part in arguments if part in known]
    else:
        sources = [part for part in arguments if part in known]
        place = len(sources) if name in _SCALAR_LAST else 1
        sources[place:place] = scalar
    also_read = name in _ALSO_READ or attributes.get("atomic") == "add"
    if name == "TSCATTER" and "pattern" not in attributes:
        also_read = True
    return (*sources, entry["outputs"][0]) if also_read else tuple(sources)


def _case(entry: Mapping[str, Any], arrays: Mapping[str, Array], prefix: str = "") -> Case:
    attributes = _attributes(entry)
    names = [operand["var"] for operand in entry["operands"]]
    outputs = tuple(entry["outputs"])
    if entry["instruction"] in ("TINTERLEAVE", "TDEINTERLEAVE"):
        outputs = ("dst1", "dst0")
    return Case(
        entry["name"],
        entry["instruction"],
        outputs,
        _inputs(entry, attributes),
        attributes,
        {operand["var"]: _operand(operand) for operand in entry["operands"]},
        {name: arrays[f"{prefix}in_{name}"] for name in names if f"{prefix}in_{name}" in arrays},
        {name: arrays[f"{prefix}out_{name}"] for name in outputs},
    )


def cases(folder: Path) -> Iterator[Case]:
    """Every case of the vectors in `folder`. OSError or ValueError where files are missing or malformed."""
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["cases"]
    together = folder / "vectors.npz"
    if together.exists():
        with np.load(together) as archive:
            arrays = dict(archive)
        for entry in entries:
            yield _case(entry, arrays, f"{entry['name']}/")
        return
    for entry in entries:
        with np.load(folder / entry["file"]) as archive:
            yield _case(entry, dict(archive))


def _numbers(extent: tuple[ScalarLike, ...]) -> tuple[int, ...]:
    return tuple(int(size) for size in extent if not isinstance(size, Scalar))


def _read(operand: Tile | Window, memory: Array, whole: bool = False) -> Array:
    if isinstance(operand, Tile):
        valid = _numbers(operand.valid)
        return layouts.read(memory, 0, operand.type, operand.type.shape if whole else valid, valid)
    dtype = OperandView(operand).numpy
    steps = tuple(step * dtype.itemsize for step in _numbers(operand.strides))
    view: Array = np.ndarray(_numbers(operand.shape), dtype, memory, 0, steps)
    return view


def _write(operand: Tile | Window, memory: Array, value: Array) -> None:
    if isinstance(operand, Tile):
        layouts.write(memory, 0, operand.type, value, _numbers(operand.valid))
    else:
        _read(operand, memory)[tuple(map(slice, value.shape))] = value


def _window(case: Case, extent: tuple[int, ...]) -> tuple[slice, ...]:
    """The window of that extent which the instruction takes or fills."""
    corner = case.attributes["index_row"], case.attributes["index_col"]
    return tuple(slice(start, start + size) for start, size in zip(corner, extent, strict=True))


def _arguments(case: Case, memory: Mapping[str, Array], extent: tuple[int, ...]) -> list[Any]:
    entry = semantics(case.opcode)
    arguments: list[Any] = []
    for place, name in enumerate(case.inputs):
        value = _read(case.operands[name], memory[name], place in entry.whole) if isinstance(name, str) else name
        arguments.append(value[_window(case, extent)] if entry.window_in == place else value)
    return arguments


def _context(case: Case, views: tuple[OperandView, ...], target: Architecture, exact: bool = False) -> Context:
    inputs = tuple(OperandView(case.operands[name]) if isinstance(name, str) else None for name in case.inputs)
    return Context(views, inputs, case.attributes, target, exact)


def replay(case: Case, target: Architecture) -> dict[str, Array]:
    """Storage (bytes) of every output after the instruction."""
    entry = semantics(case.opcode)
    memory = {name: np.ascontiguousarray(raw).view(np.uint8).copy() for name, raw in case.before.items()}
    views = tuple(OperandView(case.operands[name]) for name in case.outputs)
    arguments = _arguments(case, memory, views[0].valid)
    with np.errstate(all="ignore"):
        results = entry.function(_context(case, views, target), *arguments)
    produced = results if isinstance(results, tuple) else (results,)
    for place, (name, value) in enumerate(zip(case.outputs, produced, strict=True)):
        if entry.window_out == place:
            current = np.array(_read(case.operands[name], memory[name]))
            current[_window(case, value.shape)] = value
            value = current
        _write(case.operands[name], memory[name], value)
    return {name: memory[name] for name in case.outputs}


def _ordered(value: Array) -> Array:
    """Floating-point values as integers that are one apart where the values are neighbours."""
    bits = np.ascontiguousarray(value).view(np.dtype(f"i{value.dtype.itemsize}")).astype(np.int64)
    lowest = np.int64(-(1 << (8 * value.dtype.itemsize - 1)))
    return np.where(bits < 0, lowest - bits, bits)


def difference(operand: Tile | Window, actual: Array, recorded: Array) -> Difference:
    """Compares two raw storages (bytes) of an operand."""
    recorded = np.ascontiguousarray(recorded).view(np.uint8)
    ours, theirs = np.array(_read(operand, actual)), np.array(_read(operand, recorded))
    if is_float(ours):
        both_nan = np.isnan(ours.astype(np.float32)) & np.isnan(theirs.astype(np.float32))
        distance = np.where(both_nan, 0, np.abs(_ordered(ours) - _ordered(theirs)))
    else:
        distance = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
    outside = actual.copy()
    _write(operand, outside, theirs)
    return Difference(
        int(np.count_nonzero(distance)),
        int(distance.max(initial=0)),
        int(np.count_nonzero(outside != recorded)),
    )


def summation_error(case: Case, produced: Array) -> float:
    """Largest difference of a sum of products or terms from the record, in units of 2^-24 of the sum of magnitudes: for
    float32 the order of n additions alone can make it as large as n."""
    views = tuple(OperandView(case.operands[name]) for name in case.outputs)
    memory = {name: np.ascontiguousarray(raw).view(np.uint8) for name, raw in case.before.items()}
    magnitudes = [np.abs(value.astype(np.float64)) for value in _arguments(case, memory, views[0].valid)]
    with np.errstate(all="ignore"):
        total = semantics(case.opcode).function(_context(case, views, Rules("cpu"), True), *magnitudes)
    operand = case.operands[case.outputs[0]]
    recorded = _read(operand, np.ascontiguousarray(case.after[case.outputs[0]]).view(np.uint8))
    error = np.abs(_read(operand, produced).astype(np.float64) - recorded.astype(np.float64))
    return float(np.nanmax(np.where(np.isfinite(total), error / total, 0)) * 2**24)


def compare(case: Case, target: Architecture) -> Comparison:
    """Replays `case` by the rules of `target` and compares every output with the record."""
    result = Comparison(case)
    try:
        produced = replay(case, target)
    except Exception as error:
        result.error = f"{type(error).__name__}: {error}"
        return result
    for name, storage in produced.items():
        result.outputs[name] = difference(case.operands[name], storage, case.after[name])
    return result
