"""Cores or pipes that wait for each other, or for a flag that nobody sets, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT551",
    name="deadlock",
    severity=Severity.ERROR,
    message="the program stops for ever: {chain}",
    message_zh="程序永远停止：{chain}",
    remedy="Set the flag on every path before the wait, or break the cycle of waits.",
    remedy_zh="在等待之前的每条路径上设置标志，或打破等待环。",
)
