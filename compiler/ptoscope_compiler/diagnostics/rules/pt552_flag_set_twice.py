"""A flag that is set while its earlier token is still there, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT552",
    name="flag-set-twice",
    severity=Severity.WARNING,
    message="flag {flag} is set again before it was waited for",
    message_zh="标志 {flag} 在被等待之前再次被设置",
    remedy="Wait for the flag between the two sets, or use another event id.",
    remedy_zh="在两次设置之间等待该标志，或使用另一个 event id。",
)
