"""PT655."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT655",
    name="unsupported-operation",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（该类型不支持此操作）",
    remedy="Use an operation that these types have, or convert the values first.",
    remedy_zh="请使用这些类型支持的操作，或先转换类型。",
)
