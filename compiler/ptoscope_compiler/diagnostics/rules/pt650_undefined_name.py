"""PT650."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT650",
    name="undefined-name",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（名称未定义）",
    remedy="Define the name before this line, or import it.",
    remedy_zh="请在此行之前定义或导入该名称。",
)
