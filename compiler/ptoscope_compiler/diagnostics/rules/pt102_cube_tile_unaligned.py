"""PT102."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT102",
    name="cube-tile-unaligned",
    severity=Severity.ERROR,
    message="{tile} of the cube tile is {elements} elements of {dtype} ({bytes} bytes), no multiple of {multiple}",
    message_zh="cube tile 的 {tile} 为 {elements} 个 {dtype} 元素（{bytes} 字节），必须是 {multiple} 的倍数",
    remedy="Use {suggestion}.",
    remedy_zh="改为 {suggestion}。",
    official=("F0000C",),
)
