"""PT305."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT305",
    name="reshape-count",
    severity=Severity.ERROR,
    message="reshape: {shape} holds {count} elements, {target} holds {target_count}",
    message_zh="reshape：{shape} 有 {count} 个元素，{target} 有 {target_count} 个",
    remedy="Choose a shape with the same number of elements, or -1 for one axis.",
    remedy_zh="选择元素个数相同的形状，或用 -1 推导一个轴。",
    official=("F21002",),
)
