"""Compares the semantics of every instruction with recorded vectors of PTO-ISA's CPU simulator.

    python benchmarks/conformance.py --vectors DIR [--markdown FILE]

DIR holds `manifest.json` and one .npz file per case. Prints instruction x element type, how many cases are equal bit by
bit under the rules of the CPU simulator and under those of A2/A3, and the largest distance. Exit code 1 where a case
departs without an explanation in `EXPLAINED`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ptoscope_simulator.instructions.vectors import Case, Rules, cases, compare, replay, summation_error

CPU, A2A3 = Rules("cpu"), Rules("2201")
_SUMS = ("TROWSUM", "TMATMUL", "TGEMV")
_SUM_LIMIT = 16.0

# Approximations, within this many ULP of the CPU simulator. Prefix of the case's name -> reason.
_ULP_LIMIT = 3
APPROXIMATE = {
    "TEXP": "float32 exponential of numpy; the CPU simulator rounds a double",
    "TROWEXPANDEXPDIF": "as TEXP",
    "TCOLEXPANDEXPDIF": "as TEXP",
    "TLOG": "float32 logarithm of numpy; the CPU simulator rounds a double",
    "TRSQRT": "square root and reciprocal each rounded; the CPU simulator rounds a double",
}
# Departures from the CPU simulator that are meant.
EXPLAINED = {
    "TROWMAX__f32_special": "NaN wins; the CPU simulator ignores it unless it comes first",
    "TROWMIN__f32_special": "NaN wins; the CPU simulator ignores it unless it comes first",
    "TFILLPAD__f16": "padding is infinite; the CPU simulator has no limits for its half type and pads zero",
    "TLOAD__f16_nd_vec_padmax": "padding is infinite; the CPU simulator has no limits for its half type and pads zero",
    "TSUBVIEW": "the result is another name for part of the source; only its valid region is compared",
    "TSORT32__f16": "records of successive groups follow each other; the CPU simulator overlaps them",
    "TCVT__f32_i32_RINT_special": "NaN becomes zero; a C++ cast of NaN is undefined",
    "TCVT__f32_i16_RINT_special": "NaN becomes zero; a C++ cast of NaN is undefined",
    "TCVT__f32_f16_RINT_special": "NaN stays NaN; the CPU simulator saturates it",
    "TCVT__f32_f32_RINT_special": "NaN stays NaN; the CPU simulator saturates it",
}
_A2A3_NOTES = {
    "TCMP": "writes the packed bits alone; int32 compares for equality",
    "TCMPS": "writes the packed bits alone; int32 compares for equality",
    "TAXPY": "float16 products into float32 are exact",
    "TQUANT": "int8 by way of float16",
    "TCVT": "round mode applies between floating-point types; CAST_ODD to f16 alone; f16 not saturated",
    "TLOAD": "a row is padded to 32 bytes, the rest of the tile keeps its bytes",
}


@dataclass(slots=True)
class Row:
    """All cases of one instruction and element type."""

    cases: int = 0
    equal: int = 0
    ulp: int = 0
    equal_on_a2a3: int = 0
    sum_error: float = 0.0
    notes: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _reason(case: Case, reasons: Mapping[str, str]) -> str | None:
    return next((text for prefix, text in reasons.items() if case.name.startswith(prefix)), None)


def measure(case: Case, row: Row) -> None:
    """Adds one case to its row."""
    result = compare(case, CPU)
    row.cases += 1
    on_a2a3 = compare(case, A2A3)
    row.equal_on_a2a3 += on_a2a3.equal
    if result.equal:
        row.equal += 1
        if not on_a2a3.equal and case.opcode in _A2A3_NOTES:
            row.note(f"A2/A3: {_A2A3_NOTES[case.opcode]}")
        return
    approximate, meant = _reason(case, APPROXIMATE), _reason(case, EXPLAINED)
    if result.error:
        row.unexplained.append(f"{case.name}: {result.error}")
    elif case.opcode.startswith(_SUMS) and not meant:
        error = summation_error(case, replay(case, CPU)[case.outputs[0]])
        row.sum_error = max(row.sum_error, error)
        if error > _SUM_LIMIT:
            row.unexplained.append(f"{case.name}: sum off by {error:.1f} x 2^-24 of its magnitude")
    elif approximate and result.ulp <= _ULP_LIMIT:
        row.note(approximate)
        row.ulp = max(row.ulp, result.ulp)
    elif meant:
        row.note(meant)
    else:
        row.unexplained.append(f"{case.name}: {result.outputs}")


def table(all_cases: Iterable[Case]) -> dict[tuple[str, str], Row]:
    """Rows by (instruction, element types), in order of first appearance."""
    rows: dict[tuple[str, str], Row] = {}
    for case in all_cases:
        measure(case, rows.setdefault((case.opcode, case.dtype), Row()))
    return dict(sorted(rows.items()))


def markdown(rows: dict[tuple[str, str], Row]) -> str:
    """The table as a page."""
    total, equal = sum(row.cases for row in rows.values()), sum(row.equal for row in rows.values())
    instructions = len({name for name, _ in rows})
    lines = [
        "# Conformance of instruction semantics",
        "",
        "Every vector recorded from the CPU simulator of PTO-ISA (hw-native-sys/pto-isa), replayed by",
        "`python benchmarks/conformance.py --vectors DIR --markdown docs/conformance.md`.",
        "",
        f"{total} cases of {instructions} instructions: {equal} equal bit by bit under the CPU simulator's own rules;",
        "the others differ as noted. The column A2/A3 counts cases that are equal under the rules of that hardware,",
        "which the simulated NPU uses: where hardware and CPU simulator differ, the hardware is followed.",
        "",
        "`max ULP` is the largest distance of approximations, in units in the last place; of sums it is the largest",
        "error in units of 2^-24 of the sum of magnitudes (the order of n additions alone may make it n).",
        "",
        "| instruction | types | cases | equal | equal on A2/A3 | max ULP | note |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, dtype), row in rows.items():
        distance = f"{row.sum_error:.1f} (sum)" if row.sum_error else str(row.ulp)
        notes = "; ".join([*row.notes, *row.unexplained])
        cells = (name, dtype, row.cases, row.equal, row.equal_on_a2a3, distance, notes)
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare instruction semantics with recorded vectors.")
    parser.add_argument("--vectors", type=Path, required=True, help="folder with manifest.json and .npz files")
    parser.add_argument("--markdown", type=Path, help="write the table to this file")
    options = parser.parse_args()
    try:
        rows = table(cases(options.vectors))
    except (OSError, ValueError, KeyError) as error:
        print(f"cannot read vectors in {options.vectors}: {error}", file=sys.stderr)
        return 2
    page = markdown(rows)
    if options.markdown:
        options.markdown.write_text(page, encoding="utf-8")
    print(page)
    return 1 if any(row.unexplained for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
