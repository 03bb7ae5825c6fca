"""The words around a finding, in both languages."""

from __future__ import annotations

from .diagnostic import Facts, Severity

LANGUAGES = ("en", "zh")
_WORDS = {
    "en": {
        "operation": "operation {0}",
        "buffer": "buffer {0}",
        "elements": "{0:,} elements",
        "bytes": "{0:,} bytes",
        "limit": "limit {0:,}",
        "facts": "facts",
        "inlined": "called from",
        "help": "help",
        "separator": ", ",
    },
    "zh": {
        "operation": "操作 {0}",
        "buffer": "缓冲区 {0}",
        "elements": "{0:,} 个元素",
        "bytes": "{0:,} 字节",
        "limit": "上限 {0:,}",
        "facts": "事实",
        "inlined": "调用自",
        "help": "建议",
        "separator": "，",
    },
}
_SEVERITIES = {
    "en": {severity: severity.value for severity in Severity},
    "zh": {
        Severity.ERROR: "错误",
        Severity.WARNING: "警告",
        Severity.INFORMATION: "信息",
        Severity.HINT: "提示",
    },
}


def word(name: str, language: str) -> str:
    return _WORDS[language][name]


def severity_word(severity: Severity, language: str) -> str:
    return _SEVERITIES[language][severity]


def facts_text(facts: Facts, language: str) -> str:
    """The facts that apply, on one line; empty where none does."""
    values = {
        "operation": facts.operation,
        "buffer": facts.buffer,
        "elements": facts.elements,
        "bytes": facts.bytes,
        "limit": facts.limit,
    }
    texts = [word(name, language).format(value) for name, value in values.items() if value is not None]
    return word("separator", language).join(texts)
