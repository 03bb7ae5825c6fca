"""PT406."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT406",
    name="unsupported-on-target",
    severity=Severity.ERROR,
    message="{operation} does not exist on {target}",
    message_zh="{target} 上没有 {operation}",
    remedy="Compile for {supported}.",
    remedy_zh="为 {supported} 编译。",
    official=("FC0000",),
)
