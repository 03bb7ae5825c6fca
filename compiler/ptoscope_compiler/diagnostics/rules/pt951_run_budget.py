"""A loop that exceeds the machine's step budget."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT951",
    name="run-budget",
    severity=Severity.ERROR,
    message="this loop has not ended after {limit} steps",
    message_zh="该循环在 {limit} 步之后仍未结束",
    remedy="Check how the loop is left; raise the step budget if the program needs that long.",
    remedy_zh="检查循环的退出条件；若程序确实需要更久，请提高步数上限。",
)
