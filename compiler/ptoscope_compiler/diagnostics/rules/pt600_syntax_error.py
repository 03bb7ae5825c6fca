"""PT600."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT600",
    name="syntax-error",
    severity=Severity.ERROR,
    message="syntax error: {reason}",
    message_zh="语法错误：{reason}",
    remedy="",
    remedy_zh="",
)
