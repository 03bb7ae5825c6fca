"""Arguments of a launch that do not fit the kernel's signature."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT955",
    name="launch-mismatch",
    severity=Severity.ERROR,
    message="{kernel}: {reason}",
    message_zh="{kernel}：{reason}",
    remedy="Pass what the kernel's signature names.",
    remedy_zh="按照内核签名传入参数。",
)
