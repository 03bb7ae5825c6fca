"""PT605."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT605",
    name="boolean-operator",
    severity=Severity.ERROR,
    message="'{operator}' has no run-time form: the condition is a SymbolicScalar",
    message_zh="'{operator}' 没有运行时形式：该条件是 SymbolicScalar",
    remedy="Use {instead} instead.",
    remedy_zh="改用 {instead}。",
)
