"""Elements read before any instruction wrote them, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT351",
    name="uninitialised-read",
    severity=Severity.WARNING,
    message="{operation} reads {count} of {total} elements of {what} that nothing has written",
    message_zh="{operation} 读取 {what} 的 {total} 个元素，其中 {count} 个从未被写入",
    remedy="Load or fill the tile first, or give a valid shape that covers written elements only.",
    remedy_zh="先加载或填充该 tile，或将 valid shape 限定在已写入的元素内。",
)
