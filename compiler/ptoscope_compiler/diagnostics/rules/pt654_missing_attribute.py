"""PT654."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT654",
    name="missing-attribute",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（属性不存在）",
    remedy="Check the spelling, and the type of the value on the left of the dot.",
    remedy_zh="请检查拼写以及点号左侧值的类型。",
)
