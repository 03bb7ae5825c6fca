"""`ptoscope check`: what is wrong with kernels, without running anything."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from ptoscope_compiler.analysis.check import TARGET, diagnostics
from ptoscope_compiler.analysis.files import source
from ptoscope_compiler.analysis.host import host
from ptoscope_compiler.diagnostics.diagnostic import Diagnostic, Severity
from ptoscope_compiler.diagnostics.formats import github, json, sarif, text
from ptoscope_compiler.diagnostics.formats.sources import Sources
from ptoscope_compiler.diagnostics.words import severity_word
from ptoscope_compiler.query import Database
from ptoscope_compiler.source.file import SourceFile, UnreadableSource
from ptoscope_compiler.source.text import Text
from ptoscope_compiler.targets import UnknownTarget, load
from rich.console import Console
from rich.text import Text as Styled

from .errors import FINDINGS, cannot_run
from .options import Language, Target

_MENTIONS_PYPTO = re.compile(r"\bpypto(_pro)?\b")
_RANK = {severity: rank for rank, severity in enumerate(Severity)}
_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFORMATION: "bold blue",
    Severity.HINT: "bold cyan",
}


class Format(str, Enum):
    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


class Least(str, Enum):
    """The severities, as a choice."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


def check(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders; folders are searched for PyPTO files.")],
    target: Target = "a2a3",
    format: Annotated[Format, typer.Option(help="How findings are printed.")] = Format.TEXT,
    language: Annotated[Language, typer.Option(help="Language of the messages.")] = Language.ENGLISH,
    severity: Annotated[Least, typer.Option(help="Show findings of this severity and graver ones.")] = Least.WARNING,
) -> None:
    """Find faults in kernels without running anything.

    Exit code 0 where no error was found, 1 where one was, 2 where the check cannot run.
    """
    try:
        load(target)
    except UnknownTarget as unknown:
        cannot_run(str(unknown))
    database = Database()
    files = list(_files_to_check(database, paths))
    if not files:
        cannot_run(f"no PyPTO file in {', '.join(map(str, paths))}")
    found: dict[tuple[str, object], Diagnostic] = {}
    for file in files:
        database.set(TARGET, file, target)
        for finding in diagnostics(database, file):
            found.setdefault((finding.code, finding.span), finding)
    findings = list(found.values())
    shown = [finding for finding in findings if _RANK[finding.severity] <= _RANK[Severity(severity.value)]]
    _print(shown, Sources(lambda path: _text_of(database, path), _display), format, language.value)
    if format is Format.TEXT:
        _print_summary(len(files), findings, shown, language.value)
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise typer.Exit(FINDINGS)


def _files_to_check(database: Database, paths: Sequence[Path]) -> Iterator[str]:
    """Absolute paths, each once. Leaves with a message where a path cannot be checked."""
    seen: set[str] = set()
    for path in paths:
        if not path.exists():
            cannot_run(f"{path}: no such file or folder")
        found = _pypto_files(path) if path.is_dir() else [_named_file(database, path)]
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def _named_file(database: Database, path: Path) -> str:
    """A file that was given by name must be one that can be checked."""
    file = os.path.abspath(path)
    try:
        content = SourceFile.read(file).text.content
    except UnreadableSource as error:
        cannot_run(f"{path}: {error}")
    if not _MENTIONS_PYPTO.search(content):
        evaluated = host(database, file)
        if evaluated is None or not (evaluated.kernels or evaluated.calls):
            cannot_run(f"{path} is not a PyPTO file: it uses neither pypto nor pypto_pro")
    return file


def _pypto_files(folder: Path) -> Iterator[str]:
    """Python files under `folder` that mention PyPTO, outside of hidden folders and virtual environments."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith((".", "__pycache__"))
            and not os.path.exists(os.path.join(parent, name, "pyvenv.cfg"))
        )
        for name in sorted(names):
            if name.endswith(".py") and not name.startswith("."):
                file = os.path.abspath(os.path.join(parent, name))
                if _mentions_pypto(file):
                    yield file


def _mentions_pypto(file: str) -> bool:
    try:
        return _MENTIONS_PYPTO.search(SourceFile.read(file).text.content) is not None
    except UnreadableSource:
        return False


def _text_of(database: Database, path: str) -> Text | None:
    file = source(database, path)
    return None if file is None else file.text


def _display(path: str) -> str:
    """Relative to the working folder where it lies within."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _print(findings: Sequence[Diagnostic], sources: Sources, format: Format, language: str) -> None:
    if format is Format.JSON:
        typer.echo(json.render_all(findings, sources, language))
    elif format is Format.SARIF:
        typer.echo(sarif.render_all(findings, sources, language, version("ptoscope")))
    elif format is Format.GITHUB:
        for finding in findings:
            typer.echo(github.render(finding, sources, language))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for finding in findings:
            console.print(_styled(text.render(finding, sources, language), _STYLES[finding.severity]))
            console.print()


def _styled(rendered: str, style: str) -> Styled:
    """The first line and the carets in the colour of the severity."""
    styled = Styled(rendered)
    head = rendered.partition("]")[0]
    styled.stylize(style, 0, len(head) + 1)
    for match in re.finditer(r"(?m)^ +\| *(?P<carets>\^+)$", rendered):
        styled.stylize(style, match.start("carets"), match.end("carets"))
    return styled


def _print_summary(file_count: int, findings: Sequence[Diagnostic], shown: Sequence[Diagnostic], language: str) -> None:
    counts = Counter(finding.severity for finding in findings)
    parts = [_counted(counts[severity], severity, language) for severity in Severity if counts[severity]]
    hidden = len(findings) - len(shown)
    if language == "zh":
        found = "，".join(parts) or "未发现问题"
        typer.echo(f"已检查 {file_count} 个文件：{found}" + (f"（{hidden} 项未显示）" if hidden else ""))
    else:
        found = ", ".join(parts) or "nothing found"
        files = "file" if file_count == 1 else "files"
        typer.echo(f"{file_count} {files} checked: {found}" + (f" ({hidden} not shown)" if hidden else ""))


def _counted(count: int, severity: Severity, language: str) -> str:
    word = severity_word(severity, language)
    has_plural = language == "en" and severity is not Severity.INFORMATION
    return f"{count} {word}{'s' if has_plural and count > 1 else ''}"
