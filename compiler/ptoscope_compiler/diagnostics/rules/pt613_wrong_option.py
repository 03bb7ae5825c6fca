"""PT613."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT613",
    name="wrong-option",
    severity=Severity.ERROR,
    message="{call}: {problem}",
    message_zh="{call}：{problem_zh}",
    remedy="Pass {expected}.",
    remedy_zh="应传入 {expected}。",
    official=("F00002",),
)
