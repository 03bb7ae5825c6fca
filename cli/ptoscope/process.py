"""User code runs in a process of its own, started here."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

from ptoscope_compiler import targets
from ptoscope_simulator.standins.boot import Settings

from .errors import cannot_run


def check_target(name: str) -> str:
    """`name` if it is a known target."""
    try:
        targets.load(name)
    except targets.UnknownTarget as error:
        cannot_run(str(error))
    return name


def need_torch(command: str) -> None:
    if importlib.util.find_spec("torch") is None:
        cannot_run(
            f"`ptoscope {command}` runs scripts that need torch, which is not installed here: "
            "pip install 'ptoscope[torch]' (the CPU build will do)"
        )


def need_python_file(path: Path) -> Path:
    """`path` if it is a readable Python file."""
    if not path.exists():
        cannot_run(f"{path}: no such file")
    if path.is_dir() or path.suffix != ".py":
        cannot_run(f"{path}: not a Python file")
    try:
        compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        cannot_run(f"{path}:{error.lineno}: syntax error: {error.msg} (`ptoscope check` reports what it can)")
    except (UnicodeDecodeError, ValueError) as error:
        cannot_run(f"{path}: not a Python source file: {error}")
    return path


def start(settings: Settings, *arguments: str, silent: bool = False) -> int:
    """Run the process to its end; its exit code. `silent` drops what it prints, but for errors."""
    output = subprocess.DEVNULL if silent else None
    try:
        return subprocess.run(settings.command(*arguments), stdout=output, check=False).returncode
    except KeyboardInterrupt:
        return 130
