"""PT202."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT202",
    name="on-chip-overflow",
    severity=Severity.ERROR,
    message="{operation} needs {elements} elements ({bytes} bytes) of {space} at once, which holds {limit} bytes: "
    "{contributors}",
    message_zh="{operation} 同时需要 {space} 中的 {elements} 个元素（{bytes} 字节），"
    "容量为 {limit} 字节：{contributors}",
    remedy="Set smaller tiles, for example {suggestion}.",
    remedy_zh="设置更小的 tile，例如 {suggestion}。",
    official=("F40005",),
)
