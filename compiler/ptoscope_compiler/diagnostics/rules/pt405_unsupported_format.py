"""PT405."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT405",
    name="unsupported-format",
    severity=Severity.ERROR,
    message="{operation} does not take a tensor in format NZ",
    message_zh="{operation} 不支持 NZ 格式的张量",
    remedy="Use a tensor in format ND.",
    remedy_zh="使用 ND 格式的张量。",
    official=("FC0000",),
)
