"""More outstanding sets of a cross-core flag than its counter holds, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT555",
    name="cross-core-flag-overflow",
    severity=Severity.WARNING,
    message="cross-core flag {event} has {count} sets that were not waited for; the counter holds {limit}",
    message_zh="核间标志 {event} 有 {count} 次设置未被等待；计数器最多为 {limit}",
    remedy="Wait for the flag more often than every {limit} sets.",
    remedy_zh="至少每 {limit} 次设置等待一次该标志。",
)
