"""A single element read or written outside its tile or buffer, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT252",
    name="element-out-of-bounds",
    severity=Severity.ERROR,
    message="{operation}: {reason}",
    message_zh="{operation}：{reason}",
    remedy="Keep each index between 0 and the extent of its axis.",
    remedy_zh="确保每个下标位于 0 与该轴长度之间。",
)
