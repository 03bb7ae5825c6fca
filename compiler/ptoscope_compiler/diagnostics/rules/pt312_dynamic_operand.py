"""PT312."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT312",
    name="dynamic-operand",
    severity=Severity.ERROR,
    message="{operation}: axis {axis} of the operand is known only at run time ({size})",
    message_zh="{operation}：操作数的轴 {axis} 在运行时才可知（{size}）",
    remedy="Take a view of fixed shape in a pypto.loop first.",
    remedy_zh="先在 pypto.loop 中取固定形状的 view。",
    official=("F0000A",),
)
