"""PT303."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT303",
    name="matmul-inner-mismatch",
    severity=Severity.ERROR,
    message="matmul: the inner dimensions differ: {left} gives K = {left_size}, {right} gives K = {right_size}",
    message_zh="matmul：内维不一致：{left} 的 K = {left_size}，{right} 的 K = {right_size}",
    remedy="Check the shapes and the a_trans and b_trans flags.",
    remedy_zh="检查形状以及 a_trans、b_trans。",
    official=("F00003",),
)
