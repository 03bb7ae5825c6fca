"""Reports against blessed files; run with PTOSCOPE_BLESS=1 to bless what they are now."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from faulty_programs import CASES
from ptoscope_compiler import targets
from ptoscope_simulator.machine.machine import Machine
from ptoscope_simulator.precision.judge import Request, judge
from ptoscope_simulator.precision.judgement import Judgement
from ptoscope_simulator.precision.png import encode
from ptoscope_simulator.precision.report_html import report_html
from ptoscope_simulator.precision.report_json import report_json
from ptoscope_simulator.precision.report_junit import report_junit

BLESSED = Path(__file__).parent / "blessed"


@pytest.fixture(scope="module")
def judgements() -> list[Judgement]:
    machine = Machine(targets.load("a2a3"))
    cases = (CASES["missing_cast"](True), CASES["missing_cast"](False))
    return [
        judge(Request(machine, case.program, case.arrays, golden=case.golden, golden_source="golden.npz", explain=True))
        for case in cases
    ]


def assert_blessed(name: str, text: str) -> None:
    path = BLESSED / name
    if os.environ.get("PTOSCOPE_BLESS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_json(judgements: list[Judgement]) -> None:
    text = report_json(judgements)
    assert_blessed("report.json", text)
    document = json.loads(text)
    assert document["schema"] == 1
    assert [entry["verdict"] for entry in document["judgements"]] == ["FAIL", "PASS"]
    assert document["judgements"][0]["departure"]["at"]["line"] == 2


def test_junit(judgements: list[Judgement]) -> None:
    text = report_junit(judgements)
    assert_blessed("report.xml", text)
    root = ElementTree.fromstring(text)
    assert [suite.get("failures") for suite in root] == ["1", "0"]
    assert "kernel.py:2:1: TMUL" in (root[0][0][0].text or "")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_html(judgements: list[Judgement], language: str) -> None:
    text = report_html(judgements, language)
    pictures = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]+")
    assert len(pictures.findall(text)) == 2
    assert_blessed(f"report.{language}.html", pictures.sub("PICTURE", text))
    links: list[str] = []

    class Finder(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            links.extend(value or "" for name, value in attrs if name in ("src", "href"))

    Finder().feed(text)
    assert all(link.startswith("data:") for link in links)


def test_numbers_that_json_lacks_are_strings() -> None:
    machine = Machine(targets.load("a2a3"))
    case = CASES["overflow_in_exp"](True)
    text = report_json([judge(Request(machine, case.program, case.arrays, golden=case.golden))])
    (entry,) = json.loads(text)["judgements"]
    assert entry["departure"]["actual"] == "inf"
    assert entry["outputs"][0]["worst"]["actual"] == "nan"


def test_a_png_decodes_to_its_pixels() -> None:
    import zlib

    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    data = encode(pixels)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    start = data.index(b"IDAT") + 4
    length = int.from_bytes(data[start - 8 : start - 4], "big")
    lines = np.frombuffer(zlib.decompress(data[start : start + length]), np.uint8).reshape(2, 13)
    assert not lines[:, 0].any()
    assert np.array_equal(lines[:, 1:].reshape(2, 4, 3), pixels)
