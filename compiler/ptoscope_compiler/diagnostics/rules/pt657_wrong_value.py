"""PT657."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT657",
    name="wrong-value",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（值不合法）",
    remedy="Pass a value that the operation accepts.",
    remedy_zh="请传入该操作可接受的值。",
)
