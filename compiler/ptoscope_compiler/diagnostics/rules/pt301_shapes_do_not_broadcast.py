"""PT301."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT301",
    name="shapes-do-not-broadcast",
    severity=Severity.ERROR,
    message="{operation}: shapes {left} and {right} do not broadcast: axis {axis} is {left_size} and {right_size}",
    message_zh="{operation}：形状 {left} 与 {right} 不能广播：轴 {axis} 分别为 {left_size} 和 {right_size}",
    remedy="Give both operands the same size on that axis, or size 1.",
    remedy_zh="使两个操作数在该轴上大小相同，或其中一个为 1。",
    official=("FC0000",),
)
