"""PT310."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT310",
    name="region-rank",
    severity=Severity.ERROR,
    message="{operation}: {what} has {count} entries, the tensor has rank {rank} {shape}",
    message_zh="{operation}：{what} 有 {count} 项，张量为 {rank} 维 {shape}",
    remedy="Give one entry for each axis.",
    remedy_zh="每个轴给一项。",
    official=("F21002",),
)
