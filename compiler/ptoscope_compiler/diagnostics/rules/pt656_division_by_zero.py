"""PT656."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT656",
    name="division-by-zero",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（除数为零）",
    remedy="Make sure that the divisor is not zero.",
    remedy_zh="请确保除数不为零。",
)
