"""PT902."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT902",
    name="not-lowered",
    severity=Severity.ERROR,
    message="the simulated NPU has no instructions for {operation} yet",
    message_zh="模拟 NPU 尚不支持 {operation} 对应的指令",
    remedy="Check this kernel without running it, or write the step with other operations.",
    remedy_zh="仅检查该 kernel 而不运行，或用其他操作改写这一步。",
)
