"""Compile and run times of every kernel that a set of scripts launches, beside the official compiler and bare numpy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from .measure_script import MARK

Measurement = dict[str, Any]
_LARGE = 40
"""Instructions from which a run is more than its launch."""


def measured(script: Path) -> list[Measurement]:
    """One measurement per compiled kernel of the script, in the order of their calls."""
    environment = {**os.environ, "TILE_FWK_DEVICE_ID": "0"}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.measure_script", str(script.resolve())]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{script}: exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    lines = done.stderr.splitlines()
    return [json.loads(line.removeprefix(MARK)) for line in lines if line.startswith(MARK)]


def official_times(path: Path | None) -> dict[tuple[str, str], float]:
    """Seconds by (script name, kernel) from a record of the official compiler; empty without one."""
    if path is None:
        return {}
    times: dict[tuple[str, str], float] = {}
    for script in json.loads(path.read_text(encoding="utf-8"))["scripts"]:
        for kernel in script["kernels"]:
            times.setdefault((Path(script["script"]).name, kernel["kernel"]), kernel["seconds"])
    return times


def report(scripts: Sequence[Path], official: Path | None, console: Console) -> None:
    """Print the table of all kernels, and the medians."""
    reference = official_times(official)
    table = Table("script", "kernel", "compile ms", "official ÷ ours", "run ms", "run ÷ numpy", "instructions", "per s")
    speedups, ratios, rates, large = [], [], [], []
    for script in scripts:
        for entry in measured(script):
            theirs = reference.get((script.name, entry["kernel"]))
            speedup = theirs / entry["compile"] if theirs else None
            ratio = entry["run"] / entry["numpy"] if entry["numpy"] else None
            rate = entry["instructions"] / entry["run"]
            speedups += [speedup] if speedup else []
            ratios += [ratio] if ratio else []
            large += [ratio] if ratio and entry["instructions"] >= _LARGE else []
            rates.append(rate)
            table.add_row(
                script.name,
                entry["kernel"],
                f"{entry['compile'] * 1e3:.1f}",
                f"{speedup:.1f}" if speedup else "-",
                f"{entry['run'] * 1e3:.2f}",
                f"{ratio:.2f}" if ratio else f"no numpy form of {', '.join(entry['missing'])}",
                f"{entry['instructions']:,}",
                f"{rate:,.0f}",
            )
    console.print(table)
    if speedups:
        console.print(f"official ÷ ours, cold compile: median {median(speedups):.1f}, least {min(speedups):.1f}")
    if ratios:
        console.print(f"simulated run ÷ bare numpy: median {median(ratios):.2f}, largest {max(ratios):.2f}")
    if large:
        console.print(
            f"  kernels of {_LARGE} instructions or more: median {median(large):.2f}, largest {max(large):.2f}"
        )
    if rates:
        console.print(f"instructions per second: median {median(rates):,.0f}")
