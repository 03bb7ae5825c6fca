"""PT103."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT103",
    name="cube-tile-levels",
    severity=Severity.ERROR,
    message="the cube tile's {outer} = {outer_size} is not a multiple of {inner} = {inner_size}",
    message_zh="cube tile 的 {outer} = {outer_size} 不是 {inner} = {inner_size} 的整数倍",
    remedy="Make the L1 size a multiple of the L0 size, and no smaller.",
    remedy_zh="L1 尺寸应为 L0 尺寸的整数倍，且不小于它。",
    official=("F0000C",),
)
