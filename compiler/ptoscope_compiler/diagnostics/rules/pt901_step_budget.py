"""PT901."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT901",
    name="step-budget",
    severity=Severity.ERROR,
    message="the kernel exceeded the step budget of {budget} steps; this loop or call does not seem to end",
    message_zh="内核超出了 {budget} 步的执行预算；此循环或调用似乎不会结束",
    remedy="Bound the iterations of the loop, or use a loop of the mode instead of an unrolled one.",
    remedy_zh="请使循环在有限次数内结束，或用该模式的循环代替展开的循环。",
)
