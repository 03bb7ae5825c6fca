"""Every `$ command` in the documentation prints what the documentation shows.

`BLESS=1 pytest tests/docs` rewrites the shown output. A line `...` stands for any lines.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "README.zh-CN.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)^```", re.MULTILINE | re.DOTALL)
BLESS = os.environ.get("BLESS") == "1"


def examples() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield page, block["command"]


def run(command: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "110",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    status = f"(exit code {done.returncode})\n" if done.returncode else ""
    lines = [line.rstrip() for line in (done.stdout + done.stderr + status).replace(str(ROOT), ".").splitlines()]
    return "\n".join(lines).strip() + "\n"


def matches(shown: str, printed: str) -> bool:
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown.splitlines())
    return re.fullmatch(pattern, printed) is not None


@pytest.mark.parametrize(
    ("page", "command"), [pytest.param(p, c, id=f"{p.name}: {c}") for p, c in dict.fromkeys(examples())]
)
def test_the_page_shows_what_the_command_prints(page: Path, command: str, tmp_path: Path) -> None:
    if re.search(r"ptoscope (run|pytest)\b", command) and importlib.util.find_spec("torch") is None:
        pytest.skip("the command runs a script that needs torch")
    text = page.read_text(encoding="utf-8")
    block = next(block for block in BLOCK.finditer(text) if block["command"] == command)
    printed = run(command, ROOT)
    if BLESS and not matches(block["output"], printed):
        page.write_text(text[: block.start("output")] + printed + text[block.end("output") :], encoding="utf-8")
        return
    assert matches(block["output"], printed), f"{page.name} shows\n{block['output']}\nbut the command prints\n{printed}"
