"""PT313."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT313",
    name="region-out-of-bounds",
    severity=Severity.ERROR,
    message="{operation}: offset {offset} and size {size} on axis {axis} reach beyond {limit}",
    message_zh="{operation}：轴 {axis} 上偏移 {offset} 加大小 {size} 超出 {limit}",
    remedy="Keep the region within the tensor.",
    remedy_zh="区域不能超出张量。",
)
