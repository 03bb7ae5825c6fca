"""PT653."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT653",
    name="missing-element",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（下标越界或键不存在）",
    remedy="Use an index or key that the container has.",
    remedy_zh="请使用容器中存在的下标或键。",
)
