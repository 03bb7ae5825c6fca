"""PT609."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT609",
    name="wrong-index",
    severity=Severity.ERROR,
    message="a tensor of rank {rank} {shape} cannot be indexed so: {problem}",
    message_zh="{rank} 维张量 {shape} 不能这样索引：{problem_zh}",
    remedy="Index with int, SymbolicScalar, slices without a step, and at most one '...'.",
    remedy_zh="使用整数、SymbolicScalar、无步长的切片，至多一个 '...'。",
    official=("F00002",),
)
