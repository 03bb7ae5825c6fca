"""`ptoscope check`: what it prints, and how it exits."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from checked_folder import kernel
from ptoscope.main import app
from typer.testing import CliRunner, Result

TILES = "pypto.set_vec_tile_shapes(32, 32)"
SOUND = kernel(TILES, "out[:] = a")
FAULTY = kernel(TILES, "out[:] = a + b")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"faulty.py": FAULTY, "sound.py": SOUND, "host.py": "print(1)\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", *arguments])


def test_a_sound_file(folder: Path) -> None:
    result = run("sound.py")
    assert (result.exit_code, result.output) == (0, "1 file checked: nothing found\n")


def test_a_faulty_file_is_named_with_the_place(folder: Path) -> None:
    result = run("faulty.py")
    assert result.exit_code == 1
    assert "error[PT301]" in result.output
    assert " --> faulty.py:10:14\n" in result.output.replace("  -->", " -->")
    assert result.output.endswith("1 file checked: 1 error\n")


def test_a_folder_is_searched_for_kernels_only(folder: Path) -> None:
    for hidden in (".git", "venv", "__pycache__"):
        (folder / hidden).mkdir()
        (folder / hidden / "k.py").write_text(FAULTY, encoding="utf-8")
    (folder / "venv" / "pyvenv.cfg").touch()
    result = run(".")
    assert result.exit_code == 1
    assert result.output.endswith("2 files checked: 1 error\n")


def test_the_same_finding_through_two_files_is_shown_once(folder: Path) -> None:
    (folder / "other.py").write_text("from faulty import kernel\nimport pypto\n", encoding="utf-8")
    assert run(".").output.count("PT301") == 1


def test_json(folder: Path) -> None:
    result = run(".", "--format", "json")
    document = json.loads(result.output)
    (finding,) = document["findings"]
    assert result.exit_code == 1
    assert (finding["code"], finding["file"], finding["line"], finding["column"]) == ("PT301", "faulty.py", 10, 14)


def test_sarif(folder: Path) -> None:
    log = json.loads(run("faulty.py", "--format", "sarif").output)
    (result,) = log["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert log["version"] == "2.1.0"
    assert (result["ruleId"], result["level"], region["startLine"]) == ("PT301", "error", 10)


def test_github(folder: Path) -> None:
    output = run("faulty.py", "--format", "github").output
    assert output.startswith("::error file=faulty.py,line=10,endLine=10,col=14,")


def test_chinese(folder: Path) -> None:
    output = run("faulty.py", "--language", "zh").output
    assert "错误[PT301]" in output
    assert output.endswith("已检查 1 个文件：1 错误\n")


def test_the_severity_hides_what_is_less_grave(folder: Path) -> None:
    (folder / "warned.py").write_text(kernel("pypto.set_vec_tile_shapes(32, 4)", "out[:] = a * 2.0"), encoding="utf-8")
    shown, hidden = run("warned.py"), run("warned.py", "--severity", "error")
    assert (shown.exit_code, hidden.exit_code) == (0, 0)
    assert "PT101" in shown.output
    assert hidden.output == "1 file checked: 1 warning (1 not shown)\n"


def test_a_syntax_error_is_a_finding_beside_the_others(folder: Path) -> None:
    (folder / "broken.py").write_text(FAULTY + "\n\ndef f(:\n    pass\n", encoding="utf-8")
    result = run("broken.py")
    assert result.exit_code == 1
    assert "PT301" in result.output and "PT600" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.py"], "absent.py: no such file or folder"),
        (["sound.py", "--target", "b7"], "unknown target 'b7'; known targets: "),
        (["host.py"], "host.py is not a PyPTO file: it uses neither pypto nor pypto_pro"),
        (["binary.py"], "binary.py: not text: "),
        (["empty"], "no PyPTO file in empty"),
    ],
)
def test_what_cannot_be_checked_is_one_message_and_exit_code_2(
    folder: Path, arguments: list[str], message: str
) -> None:
    (folder / "binary.py").write_bytes(bytes(range(256)))
    (folder / "empty").mkdir()
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.output.startswith(f"ptoscope: {message}")
    assert result.output.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    (folder / "sound.py").chmod(0)
    assert run("sound.py").exit_code == 2
