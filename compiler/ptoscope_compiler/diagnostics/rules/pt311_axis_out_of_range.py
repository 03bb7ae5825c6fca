"""PT311."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT311",
    name="axis-out-of-range",
    severity=Severity.ERROR,
    message="{operation}: axis {axis} of a tensor of rank {rank} {shape}",
    message_zh="{operation}：轴 {axis} 超出 {rank} 维张量 {shape} 的范围",
    remedy="Use an axis from {least} to {most}.",
    remedy_zh="轴的取值为 {least} 到 {most}。",
    official=("FC0000",),
)
