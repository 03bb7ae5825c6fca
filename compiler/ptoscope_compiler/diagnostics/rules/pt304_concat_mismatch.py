"""PT304."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT304",
    name="concat-mismatch",
    severity=Severity.ERROR,
    message="concat: tensor {index} has shape {shape}, the first has {first}: they may differ on axis {axis} only",
    message_zh="concat：第 {index} 个张量形状为 {shape}，第一个为 {first}：只允许在轴 {axis} 上不同",
    remedy="Make all other axes equal.",
    remedy_zh="使其余各轴相等。",
    official=("FC0000",),
)
