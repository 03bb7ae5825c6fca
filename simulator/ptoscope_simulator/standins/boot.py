"""The process of a user's script: `python -m ptoscope_simulator.standins.boot SETTINGS script|pytest ARGUMENTS...`.

SETTINGS is a JSON object with the fields of `Settings`. Exit codes: that of the script or of pytest; 2 where the script
raised.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import sysconfig
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from . import modules
from .session import Session, configure

MODULES = Path(modules.__file__).parent
_OURS = Path(__file__).parents[1]
_LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))


@dataclass(frozen=True)
class Settings:
    """What the command line asks of the process."""

    target: str = "a2a3"
    step_budget: int | None = None
    dump_stages: str | None = None
    judge: dict[str, Any] | None = None
    """Fields of `JudgeSettings`: judge a launch of one kernel instead of only running the script."""

    def command(self, *arguments: str) -> list[str]:
        """The command that starts such a process."""
        return [sys.executable, "-m", __name__.replace("__main__", ""), json.dumps(asdict(self)), *arguments]


def install(settings: Settings) -> Session:
    """Put the stand-ins first on the import path of this process and configure its session."""
    sys.path.insert(0, str(MODULES))
    session = configure(target=settings.target, step_budget=settings.step_budget)
    if settings.dump_stages:
        from .stages import StageDump

        StageDump(Path(settings.dump_stages)).attach(session)
    if settings.judge:
        from .judge import JudgeLaunches, JudgeSettings

        JudgeLaunches(JudgeSettings(**settings.judge)).attach(session)
    return session


def run_script(script: str, arguments: Sequence[str]) -> int:
    """Run a user's script as `__main__`; its exit code, 2 where it raised."""
    sys.argv = [script, *arguments]
    sys.path.insert(1, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as leave:
        return _exit_code(leave.code)
    except KeyboardInterrupt:
        return 130
    except BaseException as error:
        _print_error(script, error)
        return 2
    return 0


def _exit_code(code: Any) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


def _print_error(script: str, error: BaseException) -> None:
    """The user's part of the traceback, and one line that says what happened."""
    error.__traceback__ = _user_part(error.__traceback__)
    sys.stdout.flush()
    if not getattr(error, "is_finding", False):
        traceback.print_exception(type(error), error, error.__traceback__, chain=False)
    place = _last_user_line(error.__traceback__)
    summary = str(error).strip().splitlines() or [""]
    detail = summary[0] if not getattr(error, "is_finding", False) else "\n" + str(error)
    print(f"ptoscope: {script} raised {type(error).__name__}{place}: {detail}", file=sys.stderr)


def _is_ours(filename: str) -> bool:
    return filename.startswith((str(_OURS), "<frozen")) or filename == runpy.__file__


def _is_library(filename: str) -> bool:
    return filename.startswith(_LIBRARIES)


def _user_part(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def _last_user_line(trace: TracebackType | None) -> str:
    frames = [
        frame for frame in traceback.extract_tb(trace) if not (_is_ours(frame.filename) or _is_library(frame.filename))
    ]
    return f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def run_pytest(arguments: Sequence[str]) -> int:
    """Run pytest on the user's suite."""
    import pytest

    return int(pytest.main(list(arguments), plugins=[]))


def main() -> int:
    settings = Settings(**json.loads(sys.argv[1]))
    what, *arguments = sys.argv[2:]
    install(settings)
    if what == "pytest":
        return run_pytest(arguments)
    return run_script(what, arguments)


if __name__ == "__main__":
    sys.exit(main())
