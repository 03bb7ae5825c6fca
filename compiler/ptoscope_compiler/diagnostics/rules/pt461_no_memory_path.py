"""Data cannot be brought from one memory of the chip to another."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT461",
    name="no-memory-path",
    severity=Severity.ERROR,
    message="the chip has no way from {source} to {target}",
    message_zh="该芯片没有从 {source} 到 {target} 的数据通路",
    remedy="Compute the value where its readers need it, or choose another target.",
    remedy_zh="请在读取方所在的存储中计算该值，或选择其他芯片。",
)
