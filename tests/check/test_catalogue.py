"""Every rule is complete, and stands in the file of its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ptoscope_compiler.diagnostics import rules as package
from ptoscope_compiler.diagnostics.catalogue import fields, rules
from ptoscope_compiler.diagnostics.diagnostic import Rule


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.code)
def test_a_rule_says_the_same_in_both_languages(rule: Rule) -> None:
    assert re.fullmatch(r"PT[1-69]\d\d", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.message and rule.message_zh
    assert bool(rule.remedy) == bool(rule.remedy_zh)
    for english, chinese in ((rule.message, rule.message_zh), (rule.remedy, rule.remedy_zh)):
        assert fields(english) == {field.removesuffix("_zh") for field in fields(chinese)}
        assert not re.search("[\u4e00-\u9fff]", english)


def test_each_file_holds_the_rule_that_it_is_named_after() -> None:
    files = {path.stem for folder in package.__path__ for path in Path(folder).glob("pt*.py")}
    assert files == {f"{rule.code.lower()}_{rule.name.replace('-', '_')}" for rule in rules().values()}


def test_fields_within_a_format_specification_count() -> None:
    assert fields("{a:>{b}} {c.d} {e[0]} {{f}}") == {"a", "b", "c", "e"}
