"""A tile at an address that its memory space does not allow, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT151",
    name="misaligned-access",
    severity=Severity.ERROR,
    message="{operation}: address {address} in {space} is not a multiple of {alignment} bytes",
    message_zh="{operation}：{space} 中的地址 {address} 不是 {alignment} 字节的整数倍",
    remedy="Place the tile at a multiple of {alignment} bytes.",
    remedy_zh="将 tile 放在 {alignment} 字节的整数倍地址上。",
)
