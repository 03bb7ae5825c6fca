"""A run-time scalar used before it has a value."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT953",
    name="unbound-scalar",
    severity=Severity.ERROR,
    message="scalar {name} has no value here",
    message_zh="标量 {name} 在此处没有值",
    remedy="Assign the scalar on every path that leads here.",
    remedy_zh="在到达此处的每条路径上为该标量赋值。",
)
