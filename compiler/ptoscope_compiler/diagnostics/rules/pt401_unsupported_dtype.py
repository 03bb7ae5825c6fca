"""PT401."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT401",
    name="unsupported-dtype",
    severity=Severity.ERROR,
    message="{operation} does not take {dtype} on {target}; it takes {supported}",
    message_zh="{operation} 在 {target} 上不支持 {dtype}；支持 {supported}",
    remedy="Cast the operand first: pypto.cast(x, pypto.{suggestion}).",
    remedy_zh="先转换操作数：pypto.cast(x, pypto.{suggestion})。",
    official=("FC0001",),
)
