"""PT601."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT601",
    name="unknown-name",
    severity=Severity.ERROR,
    message="{module} has no '{name}'.{suggestion}",
    message_zh="{module} 没有 '{name}'。{suggestion_zh}",
    remedy="See the list of operations.",
    remedy_zh="请查阅操作列表。",
)
