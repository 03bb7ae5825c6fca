"""An access that leaves its buffer or memory space, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT251",
    name="access-out-of-bounds",
    severity=Severity.ERROR,
    message="{operation}: {what} reaches {unit} {start} to {stop} of {memory}, which has {limit}",
    message_zh="{operation}：{what} 访问 {memory} 的{unit} {start} 至 {stop}，而其大小为 {limit}",
    remedy="Check offset and shape of the access, and the valid shape of a tail tile.",
    remedy_zh="检查访问的偏移与形状，以及尾块的 valid shape。",
)
