"""PT307."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT307",
    name="no-tile-shape",
    severity=Severity.ERROR,
    message="{operation} runs with no {kind} tile shape set",
    message_zh="{operation} 之前没有设置 {kind} tile 形状",
    remedy="Call pypto.{suggestion} before it.",
    remedy_zh="在此之前调用 pypto.{suggestion}。",
    official=("FC1000",),
)
