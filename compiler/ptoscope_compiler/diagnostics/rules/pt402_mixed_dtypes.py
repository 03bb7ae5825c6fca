"""PT402."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT402",
    name="mixed-dtypes",
    severity=Severity.ERROR,
    message="{operation}: {left} and {right} do not mix without a cast",
    message_zh="{operation}：{left} 与 {right} 不能混用，需要 cast",
    remedy="Cast one operand: pypto.cast(x, pypto.{left}).",
    remedy_zh="转换其中一个操作数：pypto.cast(x, pypto.{left})。",
    official=("FC0001",),
)
