"""PT404."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT404",
    name="unsupported-cast",
    severity=Severity.ERROR,
    message="there is no cast from {source} to {destination} on {target}",
    message_zh="{target} 上没有从 {source} 到 {destination} 的转换",
    remedy="Cast by way of {suggestion}.",
    remedy_zh="经由 {suggestion} 转换。",
    official=("FC0001",),
)
