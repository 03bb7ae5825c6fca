"""`--dump-stages FOLDER`: what every pass made of each kernel that a script compiled, as JSON beside official dumps."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from ptoscope_compiler.ir.official import StageRecorder

from .kernels import LaunchRecord
from .session import Session


class StageDump:
    """Writes one file per script, again after each kernel, so that a crash keeps what was compiled so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kernels: list[dict[str, Any]] = []
        self._started = time.monotonic()

    def attach(self, session: Session) -> None:
        session.observe_stages = True
        session.on_launch.append(self.record)

    def record(self, launch: LaunchRecord) -> None:
        """Add a freshly compiled kernel; launches of a cached one add nothing."""
        if not launch.stages or launch.compile_seconds == 0.0:
            return
        recorder = StageRecorder(launch.name)
        for name, state in launch.stages:
            recorder.observe(name, state)
        self._kernels.append(recorder.record())
        self._write()

    def _write(self) -> None:
        script = Path(sys.argv[0])
        record = {
            "pypto": "ptoscope",
            "script": script.name,
            "error": None,
            "seconds": round(time.monotonic() - self._started, 2),
            "kernels": self._kernels,
        }
        self._folder.mkdir(parents=True, exist_ok=True)
        target = self._folder / f"{script.stem}.json"
        partial = target.with_suffix(".json.partial")
        partial.write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
        os.replace(partial, target)
