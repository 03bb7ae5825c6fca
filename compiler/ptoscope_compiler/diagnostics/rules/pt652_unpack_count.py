"""PT652."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT652",
    name="unpack-count",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（解包的个数不符）",
    remedy="Unpack into as many targets as the sequence has items.",
    remedy_zh="解包目标的个数应与序列元素个数相同。",
)
