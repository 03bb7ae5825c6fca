"""PT302."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT302",
    name="unsupported-rank",
    severity=Severity.ERROR,
    message="{operation}: a tensor of rank {rank} {shape}; it takes rank {least} to {most}",
    message_zh="{operation}：张量维数为 {rank} {shape}，只支持 {least} 到 {most} 维",
    remedy="Reshape the tensor.",
    remedy_zh="请先 reshape 张量。",
    official=("FC0002",),
)
