"""PT211."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT211",
    name="tile-beyond-buffer",
    severity=Severity.WARNING,
    message="this tile ends at byte {end} of {space}, which has {capacity}",
    message_zh="该 tile 结束于 {space} 的第 {end} 字节，而 {space} 只有 {capacity} 字节",
    remedy="Use a lower address, a smaller tile or fewer tiles.",
    remedy_zh="请降低地址、缩小 tile 或减少 tile 个数。",
)
