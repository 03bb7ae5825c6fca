"""Judge a kernel on its script's own call, within the script's process."""

from __future__ import annotations

import pickle
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..precision.golden_source import load_golden
from ..precision.inputs import BadInput
from ..precision.judge import Request, judge, written_parameters
from .kernels import LaunchRecord
from .machine import machine
from .session import Session


@dataclass(frozen=True)
class JudgeSettings:
    """What to judge: the first launch of `kernel` (None: of any). `result` is the file that gets the judgement."""

    result: str
    kernel: str | None = None
    golden: str | None = None
    relative: float | None = None
    absolute: float | None = None
    explain: bool = False

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class Judged(SystemExit):
    """The launch has been judged: the script need not go on."""

    def __init__(self) -> None:
        super().__init__(0)


class JudgeLaunches:
    """Listens to launches, judges the first that fits, and ends the script."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings

    def attach(self, session: Session) -> None:
        session.on_launch.append(self.record)

    def record(self, launch: LaunchRecord) -> None:
        settings = self._settings
        if settings.kernel not in (None, launch.name):
            return
        arrays = {name: np.array(array) for name, array in launch.buffers.items()}
        try:
            golden = None
            if settings.golden is not None:
                golden = load_golden(settings.golden, arrays, written_parameters(launch.program))
            judgement = judge(
                Request(
                    machine(),
                    launch.program,
                    arrays,
                    launch.kernel,
                    launch.scalars,
                    launch.block_num,
                    golden,
                    settings.golden or "",
                    settings.relative,
                    settings.absolute,
                    settings.explain,
                )
            )
        except BadInput as error:
            Path(settings.result).write_bytes(pickle.dumps(str(error)))
        else:
            Path(settings.result).write_bytes(pickle.dumps(judgement))
        raise Judged
