"""A token that is left when the program ends, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT553",
    name="flag-never-awaited",
    severity=Severity.WARNING,
    message="flag {flag} is set but never waited for",
    message_zh="标志 {flag} 被设置但从未被等待",
    remedy="Remove the set, or add the wait that it was meant for.",
    remedy_zh="删除该设置，或补上与之对应的等待。",
)
