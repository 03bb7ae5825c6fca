"""Run a script under the stand-ins and print, as JSON lines, what each freshly compiled kernel took.

python -m benchmarks.measure_script SCRIPT [ARGUMENTS]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from ptoscope_simulator.standins.boot import Settings, install, run_script
from ptoscope_simulator.standins.kernels import LaunchRecord
from ptoscope_simulator.standins.machine import machine

from .bare_numpy import BareNumpy

MARK = "@measurement "
_REPEATS, _LONGEST = 5, 2.0


def best(action: Callable[[], Any]) -> float:
    """Seconds of the fastest of several runs, fewer where one takes long."""
    times: list[float] = []
    while len(times) < _REPEATS and sum(times) < _LONGEST:
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def measure(launch: LaunchRecord) -> None:
    """Time a kernel that has just been compiled: its run, and the same tile operations in bare numpy."""
    if launch.compile_seconds == 0.0:
        return
    arrays = {name: np.array(array) for name, array in launch.buffers.items()}

    def run(probe: Any = None) -> None:
        machine().run(launch.program, arrays, launch.scalars, launch.block_num, probe)

    run()
    simulated = best(run)
    bare = BareNumpy()
    run(bare)
    record = {
        "kernel": launch.name,
        "compile": launch.compile_seconds,
        "run": simulated,
        "numpy": None if bare.missing else best(bare.run),
        "missing": sorted(bare.missing),
        "instructions": bare.instructions,
    }
    print(MARK + json.dumps(record), file=sys.stderr, flush=True)


if __name__ == "__main__":
    session = install(Settings())
    session.on_launch.append(measure)
    sys.exit(run_script(sys.argv[1], sys.argv[2:]))
