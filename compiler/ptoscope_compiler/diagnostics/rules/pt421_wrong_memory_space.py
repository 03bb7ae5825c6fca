"""PT421."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT421",
    name="wrong-memory-space",
    severity=Severity.ERROR,
    message="{operation}: {reason} ({tile})",
    message_zh="{operation}：存储空间不符：{reason}（{tile}）",
    remedy="Use a tile in the memory space that the operation works on.",
    remedy_zh="请使用该操作所要求存储空间中的 tile。",
)
