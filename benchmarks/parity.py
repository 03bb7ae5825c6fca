"""Compare our stage dumps with those of the official compiler, kernel by kernel.

    python benchmarks/parity.py --official DIR --ours DIR [--details]

Both folders hold one `.json` or `.json.gz` per script in the record of `ptoscope_compiler.ir.official`. Files pair by
the script's name, kernels by their order. A stage is equal if the multisets of (opcode, output shapes, dtypes) agree;
from `memory` on the memory of every output counts too; from `block` on leaf functions and the number of calls are
compared.
Exit code 1 if `tensor`, `tile` or `memory` differs anywhere.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

STAGES = ("tensor", "tile", "memory", "move", "block", "schedule", "final")
REQUIRED = ("tensor", "tile", "memory")
_WITHOUT_MEMORY = ("tensor", "tile")
_OF_LEAVES = ("block", "schedule", "final")

Signature = Counter[tuple[Any, ...]]


def load(path: Path) -> dict[str, Any]:
    """A dump, compressed or not."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    dump: dict[str, Any] = json.loads(text)
    return dump


def dumps(folder: Path) -> dict[str, dict[str, Any]]:
    """Dumps of a folder by their script's name."""
    found = {}
    for path in sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")]):
        dump = load(path)
        found[dump.get("script") or path.name.split(".")[0]] = dump
    return found


def signature(kernel: dict[str, Any], stage: str) -> Signature:
    """What is compared of one stage of one kernel."""
    total: Signature = Counter()
    for function in kernel["stages"].get(stage, ()):
        if stage in _OF_LEAVES:
            if function["root"]:
                total[("CALL",)] += sum(operation["opcode"] == "CALL" for operation in function["ops"])
            if not function["leaf"]:
                continue
        for operation in function["ops"]:
            outputs = tuple(
                (tuple(value["shape"]), value["dtype"], None if stage in _WITHOUT_MEMORY else value["mem"])
                for value in operation["out"]
            )
            total[(operation["opcode"], outputs)] += 1
    return +total


def compare(official: dict[str, Any], ours: dict[str, Any], stage: str) -> tuple[Signature, Signature]:
    """(only official, only ours) of one stage."""
    left, right = signature(official, stage), signature(ours, stage)
    return left - right, right - left


def cell(missing: Signature, extra: Signature) -> str:
    """How one stage of one kernel stands: equal, or how many operations are missing and too many."""
    return "=" if not missing and not extra else f"-{missing.total()}+{extra.total()}"


def print_script(name: str, official: dict[str, Any], ours: dict[str, Any], details: bool) -> Counter[str]:
    """One row per kernel; how many kernels are equal per stage."""
    equal: Counter[str] = Counter()
    pairs = list(zip(official["kernels"], ours["kernels"], strict=False))
    if len(official["kernels"]) != len(ours["kernels"]):
        print(f"{name}: {len(official['kernels'])} kernels officially, {len(ours['kernels'])} ours")
    for number, (left, right) in enumerate(pairs):
        row = []
        for stage in STAGES:
            missing, extra = compare(left, right, stage)
            row.append(cell(missing, extra))
            equal[stage] += not missing and not extra
            if details and (missing or extra):
                for sign, side in (("-", missing), ("+", extra)):
                    for key, count in side.most_common(8):
                        print(f"    {stage} {sign}{count} {key}")
        print(f"{name[:34]:34} {number:3} " + " ".join(f"{text:>10}" for text in row))
    equal["kernels"] = len(official["kernels"])
    return equal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--official", type=Path, required=True)
    parser.add_argument("--ours", type=Path, required=True)
    parser.add_argument("--details", action="store_true", help="list the operations that differ")
    arguments = parser.parse_args()
    official, ours = dumps(arguments.official), dumps(arguments.ours)
    print(f"{'script':34} {'#':>3} " + " ".join(f"{stage:>10}" for stage in STAGES))
    total: Counter[str] = Counter()
    for name in sorted(official.keys() & ours.keys()):
        total += print_script(name, official[name], ours[name], arguments.details)
    kernels = total["kernels"]
    print("equal kernels:", ", ".join(f"{stage} {total[stage]}/{kernels}" for stage in STAGES))
    return 0 if kernels and all(total[stage] == kernels for stage in REQUIRED) else 1


if __name__ == "__main__":
    sys.exit(main())
