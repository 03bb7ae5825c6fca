"""PT111."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT111",
    name="tile-misaligned",
    severity=Severity.ERROR,
    message="the address {address} of this tile in {space} is not a multiple of {alignment} bytes",
    message_zh="该 tile 在 {space} 中的地址 {address} 不是 {alignment} 字节的整数倍",
    remedy="Place the tile at a multiple of {alignment} bytes.",
    remedy_zh="请将 tile 放在 {alignment} 字节整数倍的地址。",
)
