"""PT201."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT201",
    name="cube-tile-overflow",
    severity=Severity.ERROR,
    message="a {rows}x{columns} tile of {dtype} needs {bytes} bytes of {space}, which holds {limit}",
    message_zh="{rows}x{columns} 的 {dtype} tile 需要 {bytes} 字节的 {space}，容量为 {limit}",
    remedy="Make {first} or {second} smaller.",
    remedy_zh="减小 {first} 或 {second}。",
    official=("F40005",),
)
