"""PT101."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT101",
    name="tile-tail-unaligned",
    severity=Severity.WARNING,
    message="the last axis of the vector tile {tile} is {bytes} bytes for {dtype}: not a multiple of 32",
    message_zh="向量 tile {tile} 的尾轴对 {dtype} 为 {bytes} 字节，不是 32 的倍数",
    remedy="Use {suggestion} for the last axis.",
    remedy_zh="尾轴改为 {suggestion}。",
)
