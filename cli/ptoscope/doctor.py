"""`ptoscope doctor`: what works on this machine."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from typing import Annotated

import typer
from ptoscope_compiler import targets
from ptoscope_compiler.hardware import MemorySpace
from rich.console import Console
from rich.table import Table

_PACKAGES = {
    "numpy": "simulation",
    "ml_dtypes": "bf16 and fp8",
    "tree-sitter": "parsing",
    "torch": "run, pytest, and golden files in .pt",
    "pytest": "ptoscope pytest",
}
_ON_CHIP = (MemorySpace.UB, MemorySpace.L1, MemorySpace.L0A, MemorySpace.L0B, MemorySpace.L0C)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Say what works here: Python, libraries with what they are needed for, targets."""
    packages = {name: _version(name) for name in _PACKAGES}
    if as_json:
        facts = {
            "ptoscope": _version("ptoscope"),
            "python": platform.python_version(),
            "packages": packages,
            "targets": list(targets.names()),
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    console = Console()
    console.print(f"ptoscope {_version('ptoscope')}, Python {platform.python_version()}, {platform.platform()}")
    table = Table("library", "version", "needed for")
    for name, purpose in _PACKAGES.items():
        table.add_row(name, packages[name] or "[yellow]not installed[/]", purpose)
    console.print(table)
    chips = Table(
        "target", "arch", "AIC", "AIV", "UB", "L1", "L0A", "L0B", "L0C", title="sizes in KiB", title_justify="left"
    )
    for name in targets.names():
        target = targets.load(name)
        sizes = [str(target.capacity(space) // 1024) for space in _ON_CHIP]
        chips.add_row(name, target.arch, str(target.cube_cores), str(target.vector_cores), *sizes)
    console.print(chips)
    console.print("CANN, an NPU and the pypto wheel are not needed.")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
