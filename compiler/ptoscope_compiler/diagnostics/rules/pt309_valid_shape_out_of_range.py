"""PT309."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT309",
    name="valid-shape-out-of-range",
    severity=Severity.ERROR,
    message="valid_shape axis {axis} is {valid}: it must lie between 0 and {limit}",
    message_zh="valid_shape 的轴 {axis} 为 {valid}，必须在 0 到 {limit} 之间",
    remedy="Keep the valid shape within the shape of the view and of its source.",
    remedy_zh="valid_shape 不能超出 view 及其来源的形状。",
    official=("F21002",),
)
