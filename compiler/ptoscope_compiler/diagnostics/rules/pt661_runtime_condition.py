"""PT661."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT661",
    name="runtime-condition",
    severity=Severity.ERROR,
    message="the truth of this value is known only at run time, but is needed while the kernel is compiled",
    message_zh="该值的真假只有运行时才知道，而编译内核时就需要它",
    remedy="Use an 'if' statement of the mode, or compute both sides and select.",
    remedy_zh="请使用该模式的 if 语句，或同时计算两侧后再选择。",
)
