"""PT322."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT322",
    name="valid-shape-beyond-tile",
    severity=Severity.ERROR,
    message="valid extent {extent} along axis {axis} is outside the tile, which has {size}",
    message_zh="第 {axis} 轴的有效长度 {extent} 超出 tile 的 {size}",
    remedy="Use an extent from 1 to {size}.",
    remedy_zh="请使用 1 到 {size} 之间的长度。",
)
