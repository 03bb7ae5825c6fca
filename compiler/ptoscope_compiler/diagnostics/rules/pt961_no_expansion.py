"""An operation that the tile passes cannot expand."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT961",
    name="no-expansion",
    severity=Severity.ERROR,
    message="{opcode} cannot be cut into tiles here: {reason}",
    message_zh="此处无法将 {opcode} 切分为 tile：{reason}",
    remedy="Use another operation, or a view of known shape.",
    remedy_zh="改用其他操作，或使用形状已知的视图。",
)
